/** Exact numbers of an explanation. */
import type { Part } from '@/core/explain/explanation';
import type { Unit } from '@/core/explain/formula';
import { formatInstant } from '../format/format-time';
import { formatExact } from '../format/format-tokens';

const SPACE = '\u00a0';
const MINUS = '\u2212';

/** At most `most` decimals, without trailing zeros: `68`, `3.1835`. */
function decimals(value: number, most: number): string {
  const fixed = Math.abs(value)
    .toFixed(most)
    .replace(/\.?0+$/, '');
  const [whole = '0', fraction] = fixed.split('.');
  const text = `${formatExact(Number(whole))}${fraction === undefined ? '' : `.${fraction}`}`;
  return value < 0 && Number(fixed) !== 0 ? `${MINUS}${text}` : text;
}

/** The number without its unit. */
export function formatNumber(value: number, unit: Unit): string {
  switch (unit) {
    case 'share':
      return `${decimals(value * 100, 4)}${SPACE}%`;
    case 'tokens':
    case 'count':
      return formatExact(value);
    case 'turns':
      return decimals(value, 2);
    case 'minutes':
    case 'factor':
      return decimals(value, 2);
    case 'pixels':
    case 'tokens a turn':
    case 'tokens a minute':
      return decimals(value, 1);
    case 'minutes a turn':
      return decimals(value, 3);
  }
}

const UNIT: Record<Unit, string> = {
  share: '',
  count: '',
  factor: '',
  tokens: 'tokens',
  turns: 'turns',
  minutes: 'min',
  pixels: 'px',
  'tokens a turn': 'tokens a turn',
  'tokens a minute': 'tokens a minute',
  'minutes a turn': 'min a turn',
};

/** The unit after the number; empty: none. */
export function unitWord(value: number, unit: Unit): string {
  if (value === 1 && unit === 'turns') return 'turn';
  return UNIT[unit];
}

/** A number or an instant within a sentence. Sentences name `tokens` and `turns` themselves. */
export function formatPart(part: Part, zone: string): string {
  if ('atMs' in part) return formatInstant(part.atMs, zone);
  if (part.unit === 'minutes') return `${formatNumber(part.value, 'minutes')}${SPACE}min`;
  return formatNumber(part.value, part.unit);
}
