/** Hands the sheet over as a file, made in the browser: nothing is sent anywhere. */
import { fileName } from './file-name';
import { type SheetSvgInput, sheetSvg } from './sheet-svg';

export type SheetFormat = 'svg' | 'png';

/** Pixels of the picture for each of the sheet. */
const PNG_SCALE = 2;
/** Long enough for every browser to have begun its download. */
const KEPT_MS = 60_000;

/** @throws Error where the browser cannot draw the picture */
export async function saveSheet(input: SheetSvgInput, format: SheetFormat): Promise<void> {
  const sheet = sheetSvg(input);
  const name = fileName(input.session, input.now, format);
  if (format === 'svg') download(new Blob([sheet.svg], { type: 'image/svg+xml' }), name);
  else download(await toPng(sheet), name);
}

async function toPng({ svg, width, height }: ReturnType<typeof sheetSvg>): Promise<Blob> {
  const image = new Image(width, height);
  // As a data address: the content security policy lets no other kind of made-up address be a picture.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * PNG_SCALE);
  canvas.height = Math.round(height * PNG_SCALE);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser draws no pictures.');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)));
  });
}

function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
