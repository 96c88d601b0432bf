/** Embeds the page's fonts in a saved drawing, so that it looks the same where they are not installed. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Add the font faces that the drawing uses, with their files as data URLs. A face that cannot be read is left out.
 * @param drawing its texts name their font families in attributes
 */
export async function embedFonts(drawing: SVGSVGElement): Promise<void> {
  const used = new Set(
    [...drawing.querySelectorAll('[font-family]')].flatMap((each) =>
      (each.getAttribute('font-family') ?? '').split(',').map(unquoted),
    ),
  );
  const faces = [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .filter(({ style }) => used.has(unquoted(style.getPropertyValue('font-family'))));
  const rules = await Promise.all(faces.map((face) => readFace(face).catch(() => '')));
  const style = document.createElementNS(SVG, 'style');
  style.textContent = rules.join('');
  if (style.textContent !== '') drawing.prepend(style);
}

const unquoted = (name: string) => name.trim().replace(/^["']|["']$/g, '');

/** The face with its file as a data URL; empty: it has no file. */
async function readFace({ style, parentStyleSheet }: CSSFontFaceRule): Promise<string> {
  const [, address] = /url\(["']?([^"')]+)["']?\)/.exec(style.getPropertyValue('src')) ?? [];
  if (address === undefined) return '';
  const answer = await fetch(new URL(address, parentStyleSheet?.href ?? location.href));
  if (!answer.ok) return '';
  const file = await toDataUrl(await answer.blob());
  const facts = ['font-family', 'font-weight', 'font-style'].map(
    (name) => `${name}:${style.getPropertyValue(name)};`,
  );
  return `@font-face{${facts.join('')}src:url("${file}")}`;
}

function toDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
