/**
 * SVG as text. Whatever people or programs wrote (titles, folders, models) goes through `el` alone, which
 * escapes it: a file that is opened elsewhere must be well-formed and hold no markup of theirs.
 */

export type Attributes = Record<string, string | number | undefined>;

/** Control characters, lone surrogates and two non-characters: not allowed in XML 1.0, also when escaped. */
const NOT_XML = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu;
const WHITE = '\t\n\r';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for quoted attributes. */
export function escapeXml(text: string): string {
  return text
    .replace(NOT_XML, (sign) => (WHITE.includes(sign) ? sign : '\ufffd'))
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** A piece of finished markup: only `el` and `words` make it, so that plain text cannot be taken for it. */
export interface Markup {
  readonly svg: string;
}

export function words(text: string): Markup {
  return { svg: escapeXml(text) };
}

/** An element; attributes without a value are left out. */
export function el(name: string, attributes: Attributes, ...children: readonly Markup[]): Markup {
  const given = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => ` ${key}="${escapeXml(typeof value === 'number' ? number(value) : String(value))}"`,
    )
    .join('');
  const inner = children.map(({ svg }) => svg).join('');
  return { svg: inner === '' ? `<${name}${given}/>` : `<${name}${given}>${inner}</${name}>` };
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}
