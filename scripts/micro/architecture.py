"""candor-micro's architecture: transformers' own Qwen3.5, made very small.

    model = build(config(vocabulary), seed=1)

The language model alternates gated delta nets with gated attention; the vision
tower is that of Qwen3-VL. Sizes can be changed, within what the engine serves:

- key and value heads of a delta net are of one size and, here, of one number,
  so that no reordering is needed;
- the rotary sections must cover every rotary pair (see sections), since the
  engine gives position 0 to a pair in none of them and transformers the time;
- position embeddings form a square;
- every matrix has a multiple of 32 columns, so that it can be quantised.

Many claims about one image are cheapest as in claims_logits: the image is seen
once, what stands before the question is read once, and only question and
answer are read for each claim.
"""

import math

import torch
from transformers import DynamicCache, Qwen3_5Config, Qwen3_5ForConditionalGeneration
from transformers.cache_utils import LinearAttentionLayer


def config(vocabulary, hidden=128, layers=4, interval=2, heads=4, kv_heads=2, head=64, rotary=0.5, linear_heads=4,
           linear_head=32, kernel=4, mlp=384, vision_hidden=128, vision_depth=4, vision_heads=4, vision_mlp=384,
           positions=256, context=32768):
    """The configuration for a vocabulary; every interval-th layer is attention."""
    if math.isqrt(positions) ** 2 != positions:
        raise ValueError(f"{positions} position embeddings form no square")
    rope = {
        "rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": rotary,
        "mrope_section": sections(int(head * rotary) // 2), "mrope_interleaved": True,
    }
    text = dict(
        vocab_size=len(vocabulary), hidden_size=hidden, intermediate_size=mlp, num_hidden_layers=layers,
        layer_types=["full_attention" if (i + 1) % interval == 0 else "linear_attention" for i in range(layers)],
        num_attention_heads=heads, num_key_value_heads=kv_heads, head_dim=head, rope_parameters=rope,
        partial_rotary_factor=rotary, rms_norm_eps=1e-6, linear_conv_kernel_dim=kernel,
        linear_key_head_dim=linear_head, linear_value_head_dim=linear_head, linear_num_key_heads=linear_heads,
        linear_num_value_heads=linear_heads, max_position_embeddings=context,
        pad_token_id=vocabulary.id("<|endoftext|>"), eos_token_id=vocabulary.end,
    )
    vision = dict(
        depth=vision_depth, hidden_size=vision_hidden, intermediate_size=vision_mlp, num_heads=vision_heads,
        patch_size=16, spatial_merge_size=2, temporal_patch_size=2, out_hidden_size=hidden,
        num_position_embeddings=positions,
    )
    return Qwen3_5Config(
        text_config=text, vision_config=vision, image_token_id=vocabulary.image_pad,
        video_token_id=vocabulary.id("<|video_pad|>"), vision_start_token_id=vocabulary.id("<|vision_start|>"),
        vision_end_token_id=vocabulary.id("<|vision_end|>"),
    )


def sections(pairs):
    """Rotary pairs divided among time, height and width, in turns."""
    return [(pairs + 2) // 3, (pairs + 1) // 3, pairs // 3]


def build(configuration, seed=1):
    """A model with random weights fit to be trained: every matrix keeps the
    scale of what it is given, what is added to the residual stream is small, and
    the delta nets remember for some ten to a thousand tokens."""
    torch.manual_seed(seed)
    model = Qwen3_5ForConditionalGeneration._from_config(configuration, attn_implementation="sdpa", dtype=torch.float32)
    text, vision = configuration.text_config, configuration.vision_config
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.endswith("A_log"):
                p.copy_(torch.empty_like(p).uniform_(1, 16, generator=generator).log())
            elif name.endswith("dt_bias"):
                step = torch.empty_like(p).uniform_(math.log(0.001), math.log(0.1), generator=generator).exp()
                p.copy_(step + torch.log(-torch.expm1(-step)))  # softplus gives the step back
            elif name.endswith("embed_tokens.weight"):
                p.normal_(0, 0.5, generator=generator)
            elif name.endswith("pos_embed.weight"):
                p.normal_(0, 0.1, generator=generator)
            elif name.endswith("lm_head.weight"):
                p.normal_(0, 0.02, generator=generator)
            elif p.dim() > 1:
                scale = 1 / math.sqrt(p[0].numel())
                if name.endswith(RESIDUAL):
                    depth = vision.depth if ".visual." in name else text.num_hidden_layers
                    scale /= math.sqrt(2 * depth)
                p.normal_(0, scale, generator=generator)
    return model


# The matrices whose result is added to what came before.
RESIDUAL = ("out_proj.weight", "o_proj.weight", "down_proj.weight", "attn.proj.weight", "blocks.linear_fc2.weight")


def positions(before, rows, columns, after):
    """Positions in time, height and width, [3, before + rows · columns + after],
    of text, an image of so many tokens, and text."""
    text = torch.arange(before).expand(3, -1)
    r, c = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    image = before + torch.stack([torch.zeros_like(r), r, c]).reshape(3, -1)
    rest = before + max(rows, columns) + torch.arange(after).expand(3, -1)
    return torch.cat([text, image, rest], dim=1)


def see(model, patches, grid):
    """What the vision tower makes of images of one size, [images, tokens, hidden]."""
    return model.model.visual(patches, grid_thw=grid).pooler_output.view(len(grid), -1, model.config.text_config.hidden_size)


def claims_logits(model, vision, grid, before, after):
    """Logits for many claims about each of some images of one size.

    vision [images, tokens, hidden] is what see makes of pixel_values, and grid
    [images, 3] is image_grid_thw. before [tokens] or [images, tokens] ends with
    <|vision_start|>; after [images · claims, tokens] begins with
    <|vision_end|>, the claims of one image in a row, and is padded at its end
    with anything. The result is [images · claims, tokens of after, vocabulary];
    the logits at a token tell what follows it.
    """
    images, (_, rows, columns) = len(grid), (grid[0] // torch.tensor([1, 2, 2])).tolist()
    embed, language = model.get_input_embeddings(), model.model.language_model
    at = positions(before.shape[-1], rows, columns, after.shape[1])[:, None]
    head = torch.cat([embed(before.expand(images, -1)), vision], dim=1)
    memory = _Memory(config=model.config.text_config)
    n = head.shape[1]
    language(inputs_embeds=head, position_ids=at[..., :n].expand(3, images, n), cache=memory, use_cache=True)
    memory.batch_repeat_interleave(len(after) // images)
    rest = at[..., n:].expand(3, len(after), -1)
    out = language(inputs_embeds=embed(after), position_ids=rest, cache=memory, use_cache=True)
    return model.lm_head(out.last_hidden_state)


class _Memory(DynamicCache):
    """A cache through which gradients flow, and that can be repeated."""

    def __init__(self, config):
        super().__init__(config=config)
        self.layers = [_Recurrent() if isinstance(l, LinearAttentionLayer) else l for l in self.layers]


class _Recurrent(LinearAttentionLayer):
    """A delta net's state, replaced and never overwritten."""

    def update_conv_state(self, conv_states, state_idx=0, conv_kernel_size=None, **_):
        old = self.conv_states[state_idx]
        full = conv_states if old is None else torch.cat([old, conv_states], dim=-1)
        self.conv_states[state_idx] = full[..., -conv_kernel_size:]
        self.has_previous_state[state_idx] = True
        return full

    def update_recurrent_state(self, recurrent_states, state_idx=0, **_):
        self.recurrent_states[state_idx] = recurrent_states
        return recurrent_states

    def batch_repeat_interleave(self, repeats):
        for states in (self.conv_states, self.recurrent_states):
            for i, s in states.items():
                states[i] = s.repeat_interleave(repeats, dim=0)
