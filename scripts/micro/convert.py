"""Turns a candor-micro checkpoint into the GGUF file that Ollama serves.

    python convert.py CHECKPOINT vocabulary.json OUT.gguf [--encoding q8_0] [--name NAME]

CHECKPOINT is a folder of transformers' save_pretrained. Names and layouts of
tensors are those which Ollama's own converter gives to Qwen3.5: fused vision
projections are divided, the two frames' kernels of the patch embedding stay one
tensor, norms that transformers centres at zero are centred at one, and A_log
becomes -exp(A_log). Matrices are F16 (or Q8_0, at half the size); vectors, the
causal convolutions and the two small projections that steer a delta net's
memory are F32. One checkpoint gives one file, byte for byte.
"""

import argparse

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Encoding
from gguf import GGUFValueType as Kind
from transformers import Qwen3_5ForConditionalGeneration

from vocabulary import Vocabulary

ARCHITECTURE = "qwen35"
LICENSE = "apache-2.0"

# How matrices are written, and the general.file_type that says so.
ENCODINGS = {"f32": (Encoding.F32, 0), "f16": (Encoding.F16, 1), "q8_0": (Encoding.Q8_0, 7)}

# transformers' names and the engine's, in the order in which they are replaced.
NAMES = [
    ("lm_head.", "output."),
    ("model.language_model.embed_tokens.", "token_embd."),
    ("model.language_model.norm.", "output_norm."),
    ("model.language_model.layers.", "blk."),
    ("model.visual.", "v."),
    ("patch_embed.proj.", "patch_embed."),
    (".blocks.", ".blk."),
    (".attn.qkv.", ".attn_qkv."),
    (".attn.proj.", ".attn_out."),
    ("input_layernorm", "attn_norm"),
    ("post_attention_layernorm", "post_attention_norm"),
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.q_norm", "attn_q_norm"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.k_norm", "attn_k_norm"),
    ("self_attn.v_proj", "attn_v"),
    ("self_attn.o_proj", "attn_output"),
    ("linear_attn.in_proj_qkv", "attn_qkv"),
    ("linear_attn.in_proj_z", "attn_gate"),
    ("linear_attn.in_proj_a", "ssm_alpha"),
    ("linear_attn.in_proj_b", "ssm_beta"),
    ("linear_attn.conv1d", "ssm_conv1d"),
    ("linear_attn.dt_bias", "ssm_dt"),
    ("linear_attn.A_log", "ssm_a"),
    ("linear_attn.norm", "ssm_norm"),
    ("linear_attn.out_proj", "ssm_out"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
]


def convert(model, vocabulary, path, name="candor-micro", description="", encoding="f16"):
    """Writes a model; encoding is that of matrices. Returns the number of its parameters."""
    values = dict(t for n, p in model.named_parameters() for t in tensors(n, p.detach().float().numpy()))
    count = sum(v.size for v in values.values())
    writer = gguf.GGUFWriter(path, ARCHITECTURE)
    keys = metadata(model.config, vocabulary, name, description) | {
        "general.parameter_count": (count, Kind.UINT64),
        "general.file_type": (ENCODINGS[encoding][1], Kind.UINT32),
    }
    for key, (value, kind) in sorted(keys.items()):
        element = kind[0] if isinstance(kind, list) else None
        writer.add_key_value(key, value, Kind.ARRAY if element else kind, element)
    for key in sorted(values):
        how = encoding_of(key, values[key], ENCODINGS[encoding][0])
        writer.add_tensor(key, gguf.quantize(np.ascontiguousarray(values[key]), how), raw_dtype=how)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return count


def encoding_of(name, value, matrices):
    """How a tensor is written when matrices are written so."""
    if value.ndim == 1 or name.endswith(("ssm_conv1d.weight", "ssm_alpha.weight", "ssm_beta.weight")):
        return Encoding.F32
    if matrices == Encoding.Q8_0 and name.startswith(("v.patch_embed.", "v.pos_embed.")):
        return Encoding.F16  # a convolution's kernel cannot be quantised, and a few embeddings need not be
    return matrices


def tensors(name, value):
    """A parameter under the engine's name, in the engine's layout."""
    for ours, theirs in NAMES:
        name = name.replace(ours, theirs)
    if name.startswith("v.") and ".attn_qkv." in name:
        return [(name.replace("attn_qkv", f"attn_{part}"), v) for part, v in zip("qkv", np.split(value, 3))]
    if name.startswith("v.patch_embed.weight"):
        value = value.reshape(-1, *value.shape[2:])  # output and colour channels are one dimension
    elif name.endswith(".ssm_conv1d.weight"):
        value = value.squeeze(1)
    elif name.endswith(".ssm_a"):
        value = -np.exp(value)
    elif not name.startswith("v.") and name.endswith("_norm.weight") and not name.endswith(".ssm_norm.weight"):
        value = value + 1
    return [(name, value)]


def metadata(config, vocabulary, name, description):
    """What the file says of the model, each key with its type."""
    text, vision = config.text_config, config.vision_config
    if text.linear_num_key_heads != text.linear_num_value_heads:
        raise ValueError("key and value heads of the delta nets must be as many, or they would have to be reordered")
    rope, head = text.rope_parameters, text.head_dim
    heads = [text.num_key_value_heads if t == "full_attention" else 0 for t in text.layer_types]
    own = {
        "context_length": (text.max_position_embeddings, Kind.UINT32),
        "embedding_length": (text.hidden_size, Kind.UINT32),
        "block_count": (text.num_hidden_layers, Kind.UINT32),
        "feed_forward_length": (text.intermediate_size, Kind.UINT32),
        "attention.head_count": (text.num_attention_heads, Kind.UINT32),
        "attention.head_count_kv": (heads, [Kind.UINT32]),  # 0: a delta net
        "attention.key_length": (head, Kind.UINT32),
        "attention.value_length": (head, Kind.UINT32),
        "attention.layer_norm_rms_epsilon": (text.rms_norm_eps, Kind.FLOAT32),
        "full_attention_interval": (text.layer_types.index("full_attention") + 1, Kind.UINT32),
        "rope.freq_base": (rope["rope_theta"], Kind.FLOAT32),
        "rope.dimension_count": (int(head * rope["partial_rotary_factor"]), Kind.UINT32),
        "rope.mrope_section": (rope["mrope_section"], [Kind.INT32]),
        "rope.mrope_interleaved": (True, Kind.BOOL),
        "ssm.inner_size": (text.linear_value_head_dim * text.linear_num_value_heads, Kind.UINT32),
        "ssm.state_size": (text.linear_key_head_dim, Kind.UINT32),
        "ssm.group_count": (text.linear_num_key_heads, Kind.UINT32),
        "ssm.time_step_rank": (text.linear_num_value_heads, Kind.UINT32),
        "ssm.conv_kernel": (text.linear_conv_kernel_dim, Kind.UINT32),
        "ssm.v_head_reordered": (True, Kind.BOOL),
        "image_token_id": (config.image_token_id, Kind.UINT32),
        "vision_start_token_id": (config.vision_start_token_id, Kind.UINT32),
        "vision_end_token_id": (config.vision_end_token_id, Kind.UINT32),
        "vision.block_count": (vision.depth, Kind.UINT32),
        "vision.embedding_length": (vision.hidden_size, Kind.UINT32),
        "vision.attention.head_count": (vision.num_heads, Kind.UINT32),
        "vision.attention.layer_norm_epsilon": (1e-6, Kind.FLOAT32),
        "vision.num_channels": (vision.in_channels, Kind.UINT32),
        "vision.patch_size": (vision.patch_size, Kind.UINT32),
        "vision.spatial_merge_size": (vision.spatial_merge_size, Kind.UINT32),
        "vision.temporal_patch_size": (vision.temporal_patch_size, Kind.UINT32),
        "vision.num_positional_embeddings": (vision.num_position_embeddings, Kind.UINT32),
        "vision.rope.freq_base": (vision.rope_parameters["rope_theta"], Kind.FLOAT32),
        "vision.shortest_edge": (65536, Kind.UINT32),
        "vision.longest_edge": (16777216, Kind.UINT32),
        "vision.image_mean": ([0.5, 0.5, 0.5], [Kind.FLOAT32]),
        "vision.image_std": ([0.5, 0.5, 0.5], [Kind.FLOAT32]),
        # No vision.deepstack_visual_indexes: there are none, and the format has no empty lists.
    }
    end, pad = vocabulary.end, vocabulary.id("<|endoftext|>")
    return {f"{ARCHITECTURE}.{k}": v for k, v in own.items()} | {
        "general.name": (name, Kind.STRING),
        "general.basename": (name, Kind.STRING),  # Ollama's show leaves general.name out
        "general.description": (description or name, Kind.STRING),
        "general.license": (LICENSE, Kind.STRING),
        "general.quantization_version": (2, Kind.UINT32),
        "tokenizer.ggml.model": ("gpt2", Kind.STRING),
        "tokenizer.ggml.pre": ("qwen35", Kind.STRING),
        "tokenizer.ggml.tokens": (vocabulary.tokens, [Kind.STRING]),
        "tokenizer.ggml.token_type": (vocabulary.types, [Kind.INT32]),
        "tokenizer.ggml.merges": (vocabulary.merges, [Kind.STRING]),
        "tokenizer.ggml.eos_token_id": (end, Kind.UINT32),
        "tokenizer.ggml.eos_token_ids": ([end, pad], [Kind.INT32]),
        "tokenizer.ggml.padding_token_id": (pad, Kind.UINT32),
        "tokenizer.ggml.add_bos_token": (False, Kind.BOOL),
    }


def main():
    parser = argparse.ArgumentParser(description="Write a candor-micro checkpoint as GGUF.")
    parser.add_argument("checkpoint", help="folder of save_pretrained")
    parser.add_argument("vocabulary", help="file of Vocabulary.save")
    parser.add_argument("out", help="the GGUF file to write")
    parser.add_argument("--encoding", choices=list(ENCODINGS), default="f16", help="of matrices")
    parser.add_argument("--name", default="candor-micro", help="general.name and general.basename")
    parser.add_argument("--describe", default="", help="general.description")
    arguments = parser.parse_args()
    model = Qwen3_5ForConditionalGeneration.from_pretrained(arguments.checkpoint)
    v = Vocabulary.load(arguments.vocabulary)
    count = convert(model, v, arguments.out, arguments.name, arguments.describe, arguments.encoding)
    print(f"{arguments.out}: {count} parameters")


if __name__ == "__main__":
    main()
