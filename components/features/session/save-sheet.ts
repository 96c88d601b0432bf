/**
 * Saves the barogram on screen as an SVG or PNG file, in the browser. The file contains the drawings of the page in the
 * light theme, with computed styles and the fonts, so that it needs no style sheet, script or installed font.
 */
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { LENS_NAME } from '@/core/explain/lens-phrase';
import { clientName } from '../../format/boundary-words';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';
import { limitSign, limitSourceWords } from '../../format/session-words';
import { embedFonts } from './embed-fonts';
import { isWithin } from './session-events';

const MARGIN = 32;
const LINE = 16;
const HEAD = 84;
/** Mean width of a letter in the line of facts; `TITLE_PX`: in the title. */
const LETTER_PX = 5.6;
const TITLE_PX = 9.5;
/** Pixels of the picture per pixel of the sheet. */
const PNG_SCALE = 2;
/** Time within which every browser starts a download. */
const KEPT_MS = 60_000;

const SVG = 'http://www.w3.org/2000/svg';
const STYLES =
  'fill fill-opacity opacity stroke stroke-width stroke-dasharray stroke-opacity stroke-linejoin paint-order text-anchor font-family font-size font-weight letter-spacing word-spacing'.split(
    ' ',
  );

/**
 * @param box element with the drawings; each drawing is saved at its position in the box
 * @throws Error if the browser cannot draw the picture
 */
export async function saveSheet(box: HTMLElement, words: SheetWords, format: 'svg' | 'png'): Promise<void> {
  const sheet = drawSheet(box, words);
  await embedFonts(sheet);
  const text = new XMLSerializer().serializeToString(sheet);
  const blob = format === 'svg' ? new Blob([text], { type: 'image/svg+xml' }) : await toPng(text, sheet);
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = `${words.fileName}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

function drawSheet(box: HTMLElement, { title, facts }: SheetWords): SVGSVGElement {
  const stage = document.createElement('div');
  stage.dataset.state = box.closest<HTMLElement>('[data-state]')?.dataset.state ?? '';
  stage.style.cssText = 'position:absolute;left:-10000px;color:var(--ink)';
  document.body.append(stage);
  // Theme variables are computed at the root, so the root's theme is changed, and restored before the next paint.
  const { dataset } = document.documentElement;
  const { theme } = dataset;
  dataset.theme = 'light';
  try {
    const width = box.clientWidth + 2 * MARGIN;
    const height = HEAD + box.clientHeight + 2 * MARGIN;
    const sheet = element('svg', { width, height, viewBox: `0 0 ${width} ${height}` });
    const drawing = element('g', { transform: `translate(${MARGIN} ${MARGIN + HEAD})` });
    for (const svg of box.querySelectorAll('svg')) {
      const part = element('g', {});
      part.append(...[...svg.children].map((child) => child.cloneNode(true)));
      drawing.append(part);
    }
    const line = (top: number, letterPx: number, text: string, attributes: Record<string, string>) =>
      element(
        'text',
        { x: MARGIN, y: MARGIN + top, ...attributes },
        shorten(text, (width - 2 * MARGIN) / letterPx),
      );
    sheet.append(
      element('title', {}, title),
      element('rect', { width, height, style: 'fill: var(--paper)' }),
      line(14, TITLE_PX, title, { class: 'chart-label chart-strong', style: 'font-size: 17px' }),
      ...facts.map((fact, index) =>
        line(34 + index * LINE, LETTER_PX, fact, { class: 'chart-label chart-quiet' }),
      ),
      drawing,
    );
    stage.append(sheet);
    writeStyles(sheet);
    return sheet;
  } finally {
    if (theme === undefined) delete dataset.theme;
    else dataset.theme = theme;
    stage.remove();
  }
}

/** Replace classes and variables by their computed values in the light theme. */
function writeStyles(sheet: SVGSVGElement): void {
  const styled = [...sheet.querySelectorAll<SVGElement>('*')].map((each) => {
    const computed = getComputedStyle(each);
    return { each, styles: STYLES.map((name) => [name, computed.getPropertyValue(name)] as const) };
  });
  for (const { each, styles } of styled) {
    for (const { name } of [...each.attributes]) {
      if (/^(class|style|role|tabindex|data-.*|aria-.*)$/.test(name)) each.removeAttribute(name);
    }
    if (each.matches('title, clipPath, clipPath *')) continue;
    for (const [name, value] of styles) if (value !== '') each.setAttribute(name, value);
  }
}

function element<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number>,
  text = '',
): SVGElementTagNameMap[K] {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  // XML allows no control characters except white space, and no unpaired surrogates.
  created.textContent = text.replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '');
  return created;
}

function shorten(text: string, letters: number): string {
  const all = Array.from(text.replace(/\s+/g, ' ').trim());
  return all.length <= letters ? all.join('') : `${all.slice(0, Math.floor(letters) - 1).join('')}…`;
}

async function toPng(svg: string, { width, height }: SVGSVGElement): Promise<Blob> {
  const image = new Image(width.baseVal.value, height.baseVal.value);
  // The content security policy allows data URLs only.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width * PNG_SCALE);
  canvas.height = Math.round(image.height * PNG_SCALE);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser cannot draw images');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the picture is too large')) : resolve(blob)));
  });
}

const LONGEST_TITLE = 60;

type SheetWords = ReturnType<typeof sheetWords>;
type Range = Parameters<typeof isWithin>[1];

/** Title and file name of a saved sheet, and its lines: the program, the meaning of 100 %, and the range. Pure. */
export function sheetWords(
  session: Session,
  points: readonly SeriesPoint[],
  range: Range,
  now: number,
  zone: string,
) {
  const { key, title, limit, limitSource, limitDate, restartLine, compactsAt, client } = session;
  const program = client && [clientName(client), session.clientVersion].filter(Boolean).join(' ');
  const source = [limitSourceWords(limitSource), limitDate].filter(Boolean).join(', ');
  const hasLine = limit !== null && restartLine !== null && restartLine <= 1;
  const lines = [
    [session.project, session.model, program, session.host],
    [
      limit === null
        ? 'no known limit: tokens, no percentage'
        : `100 % = limit ${limitSign(limitSource)}${formatExact(limit)} tokens, ${source}`,
      hasLine && `restart line ${Math.round(restartLine * 100)} %`,
      compactsAt !== null && `client compacts at ${formatExact(compactsAt)}`,
      `${LENS_NAME[session.lens].toLowerCase()} lens`,
    ],
    [rangeWords(points, range, zone), `Barograph, ${formatInstant(now, zone)}`],
  ];
  const day = new Date(now).toISOString().slice(0, 10);
  return {
    title: title ?? key,
    /** `barograph-branch-review-2026-11-22`: letters, digits and hyphens only. */
    fileName: `barograph ${(title ?? key).slice(0, LONGEST_TITLE)} ${day}`
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .toLowerCase(),
    facts: lines.map((parts) => parts.filter(Boolean).join(' · ')),
  };
}

function rangeWords(points: readonly SeriesPoint[], range: Range, zone: string): string {
  const inside = points.filter(({ t }) => isWithin(t, range));
  const [first] = inside;
  const last = inside.at(-1);
  if (!first || !last) return 'no turn in this range';
  const [from, to] = [range.from ?? first.t, range.to ?? last.t].map((at) => formatInstant(at, zone));
  const whole = range.from === null && range.to === null ? ', the whole session' : '';
  const firstTurn = Math.max(1, first.n - first.turns + 1);
  return `${from} to ${to} · turns ${formatExact(firstTurn)} to ${formatExact(last.n)}${whole}`;
}
