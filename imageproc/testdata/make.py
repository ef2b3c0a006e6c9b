# Makes the images of this folder with Pillow: python make.py FOLDER
# All are drawn here; the four quadrants are red, green, blue and yellow.
import struct, sys, zlib
import numpy as np
from PIL import Image, ImageChops, ImageCms, ImageDraw
out=sys.argv[1]
def scene(w,h):
    # four quadrants: every orientation and every swap of channels shows
    im=Image.new("RGB",(w,h)); d=ImageDraw.Draw(im)
    d.rectangle((0,0,w//2-1,h//2-1),fill=(200,30,30)); d.rectangle((w//2,0,w,h//2-1),fill=(30,170,40))
    d.rectangle((0,h//2,w//2-1,h),fill=(40,60,200)); d.rectangle((w//2,h//2,w,h),fill=(230,200,40))
    return im
base=scene(64,48)
base.save(out+"/baseline.jpg",quality=90)
base.save(out+"/progressive.jpg",quality=90,progressive=True)
base.convert("CMYK").save(out+"/cmyk.jpg",quality=95)
base.convert("L").save(out+"/gray.jpg",quality=90)
# without Adobe's marker nothing tells whether the inks are inverted
raw=open(out+"/cmyk.jpg","rb").read(); at=raw.index(b"\xff\xee"); open(out+"/cmyk_unmarked.jpg","wb").write(raw[:at]+raw[at+16:])
# YCCK: libjpeg does not offer it to Pillow; the marker says that luma and chroma stand for three of the inks
ycc=Image.merge("RGB",base.convert("CMYK").split()[:3]).convert("YCbCr").split()
Image.merge("CMYK",[ImageChops.invert(c) for c in ycc]+[Image.new("L",(64,48),0)]).save(out+"/ycck.jpg",quality=95)
raw=bytearray(open(out+"/ycck.jpg","rb").read()); at=raw.index(b"Adobe"); raw[at+11]=2; open(out+"/ycck.jpg","wb").write(raw)
for o in range(1,9):
    inv={1:None,2:Image.FLIP_LEFT_RIGHT,3:Image.ROTATE_180,4:Image.FLIP_TOP_BOTTOM,5:Image.TRANSPOSE,6:Image.ROTATE_90,7:Image.TRANSVERSE,8:Image.ROTATE_270}[o]
    im=base if inv is None else base.transpose(inv)
    ex=Image.Exif(); ex[0x0112]=o
    im.save(out+f"/orient{o}.jpg",quality=90,exif=ex)
ex=Image.Exif(); ex[0x0112]=6
base.transpose(Image.ROTATE_90).save(out+"/orient6.png",exif=ex)
base.transpose(Image.ROTATE_90).save(out+"/orient6.webp",exif=ex,lossless=True)
base.transpose(Image.ROTATE_90).save(out+"/orient6.tiff",tiffinfo={274:6},compression="tiff_lzw")
base.save(out+"/lossy.webp",quality=85); base.save(out+"/lossless.webp",lossless=True)
a=base.convert("RGBA"); al=Image.new("L",(64,48),255); ImageDraw.Draw(al).rectangle((0,0,31,23),fill=0); a.putalpha(al)
a.save(out+"/alpha.png"); a.save(out+"/alpha.webp",lossless=True)
p=base.quantize(16); p.save(out+"/palette.png"); p.save(out+"/still.gif"); p.save(out+"/palette.bmp"); base.save(out+"/plain.bmp")
base.quantize(16).save(out+"/palette_alpha.png",transparency=int(np.array(base.quantize(16))[0,0]))
p.save(out+"/animated.gif",save_all=True,append_images=[Image.new("RGB",(64,48),(0,0,0))],duration=100)
base.save(out+"/plain.tiff"); base.save(out+"/deflate.tiff",compression="tiff_adobe_deflate")
base.convert("CMYK").save(out+"/cmyk.tiff"); base.save(out+"/lzw.tiff",compression="tiff_lzw")
base.convert("1",dither=0).save(out+"/group4.png")
for n in ("group3","group4"): base.convert("1",dither=0).save(out+"/"+n+".tiff",compression=n)
base.convert("1",dither=0).save(out+"/group4_white.tiff",compression="group4",tiffinfo={262:0})
base.save(out+"/animated.png",save_all=True,append_images=[Image.new("RGB",(64,48))],duration=100)
base.save(out+"/animated_lossy.webp",save_all=True,append_images=[Image.new("RGB",(64,48))],duration=100,quality=90)
base.save(out+"/profile.jpg",quality=90,icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
base.save(out+"/chroma422.jpg",quality=90,subsampling="4:2:2"); base.save(out+"/chroma444.jpg",quality=90,subsampling="4:4:4")
base.save(out+"/restart.jpg",quality=90,restart_marker_blocks=2); a.save(out+"/alpha_lossy.webp",quality=90)
rgb16=np.array(base).astype(">u2")*257
chunk=lambda t,d: struct.pack(">I",len(d))+t+d+struct.pack(">I",zlib.crc32(t+d))
open(out+"/rgb16.png","wb").write(b"\x89PNG\r\n\x1a\n"+chunk(b"IHDR",struct.pack(">IIBBBBB",64,48,16,2,0,0,0))+chunk(b"IDAT",zlib.compress(b"".join(b"\0"+r.tobytes() for r in rgb16)))+chunk(b"IEND",b""))
base.quantize(4).save(out+"/palette2.png",bits=2)
g=np.array(base.convert("L")).astype(np.uint16)*257
Image.fromarray(g).save(out+"/gray16.png")
base.convert("L").save(out+"/gray.png"); base.convert("1").save(out+"/bilevel.png")
base.convert("LA").save(out+"/grayalpha.png")
base.save(out+"/animated.webp",save_all=True,append_images=[Image.new("RGB",(64,48))],duration=100,lossless=True)
def interlaced(im,path):
    # Pillow does not write Adam7: seven passes, unfiltered rows
    a=np.array(im); raw=b""
    for x0,y0,dx,dy in [(0,0,8,8),(4,0,8,8),(0,4,4,8),(2,0,4,4),(0,2,2,4),(1,0,2,2),(0,1,1,2)]:
        for row in a[y0::dy,x0::dx]: raw+=b"\0"+row.tobytes()
    chunk=lambda t,d: struct.pack(">I",len(d))+t+d+struct.pack(">I",zlib.crc32(t+d))
    open(path,"wb").write(b"\x89PNG\r\n\x1a\n"+chunk(b"IHDR",struct.pack(">IIBBBBB",*im.size,8,2,0,0,1))+chunk(b"IDAT",zlib.compress(raw))+chunk(b"IEND",b""))
interlaced(base,out+"/interlaced.png")
# a texture with detail finer than the small grid, and Pillow's bicubic of it
y,x=np.mgrid[0:38,0:50]
t=np.stack([128+90*np.sin(x/1.7+y/2.3),128+90*np.cos(x*y/60),60+x*3.0],-1)
t=Image.fromarray(np.clip(t,0,255).astype(np.uint8))
t.save(out+"/texture.png",optimize=True)
t.resize((24,16),Image.BICUBIC).save(out+"/texture_24x16.png",optimize=True)
t.resize((64,48),Image.BICUBIC).save(out+"/texture_64x48.png",optimize=True)
