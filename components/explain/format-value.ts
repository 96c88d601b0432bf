/** Exact numbers of an explanation. */
import { UNITS, type Unit } from '@/core/explain/formula';
import { formatExact } from '../format/format-tokens';

const SPACE = '\u00a0';
const MINUS = '\u2212';

/** The number without its unit, and without trailing zeros: `68`, `3.1835 %`. */
export function formatNumber(value: number, unit: Unit): string {
  if (unit === 'tokens' || unit === 'count') return formatExact(value);
  const isShare = unit === 'share';
  const fixed = Math.abs(isShare ? value * 100 : value)
    .toFixed(UNITS[unit][0])
    .replace(/\.?0+$/, '');
  const [whole = '0', fraction] = fixed.split('.');
  const text = `${formatExact(Number(whole))}${fraction === undefined ? '' : `.${fraction}`}`;
  const sign = value < 0 && Number(fixed) !== 0 ? MINUS : '';
  return `${sign}${text}${isShare ? `${SPACE}%` : ''}`;
}

/** The unit after the number; empty: none. */
export function unitWord(value: number, unit: Unit): string {
  return value === 1 && unit === 'turns' ? 'turn' : UNITS[unit][1];
}
