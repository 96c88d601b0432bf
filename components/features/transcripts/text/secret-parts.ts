import { SECRET_MARK } from '@/core/transcript/limits';

export type SecretPart = { text: string; secret: null } | { text: string; secret: number; rule: string };

/** Split a text at its secret marks. */
export function secretParts(text: string): SecretPart[] {
  const parts: SecretPart[] = [];
  let from = 0;
  for (const match of text.matchAll(SECRET_MARK)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), secret: null });
    parts.push({ text: match[0], secret: Number(match[1]), rule: match[2] ?? '' });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), secret: null });
  return parts;
}

export function hasSecretMark(text: string): boolean {
  SECRET_MARK.lastIndex = 0;
  return text.search(SECRET_MARK) !== -1;
}
