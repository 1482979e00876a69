import { crc32, deflateSync } from "node:zlib";
import type { Browser } from "playwright-core";

/** Reduces a screenshot's colours to a palette of 256: a third of the size, equally sharp. */
export async function shrink(browser: Browser, screenshot: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const { width, height, pixels } = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const [width, height] = [image.width, image.height];
    const context = new OffscreenCanvas(width, height).getContext("2d");
    if (context === null) throw new Error("There is no canvas.");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    return { width, height, pixels: [...new Uint32Array(data.buffer)] };
  }, screenshot.toString("base64"));
  await page.close();

  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const ranked = [...counts].sort((a, b) => b[1] - a[1]).map(([pixel]) => pixel);
  const palette = ranked.slice(0, 256);
  const nearest = new Map(ranked.map((pixel) => [pixel, findNearest(palette, pixel)]));
  const rows = Buffer.alloc((width + 1) * height);
  pixels.forEach((pixel, index) => {
    rows[index + Math.floor(index / width) + 1] = nearest.get(pixel) ?? 0;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Bit depth 8, colour type 3 (palette).
  header.set([8, 3, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = {
    IHDR: header,
    PLTE: Buffer.from(palette.flatMap(channels)),
    IDAT: deflateSync(rows, { level: 9 }),
    IEND: Buffer.alloc(0),
  };
  return Buffer.concat([signature, ...Object.entries(chunks).map(([name, data]) => chunk(name, data))]);
}

/** Red, green and blue of a little-endian pixel. */
const channels = (pixel: number) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255] as const;

function findNearest(palette: readonly number[], pixel: number): number {
  const [red, green, blue] = channels(pixel);
  const distances = palette.map((color) => {
    const [r, g, b] = channels(color);
    return (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  });
  return distances.indexOf(Math.min(...distances));
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
