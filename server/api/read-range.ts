/** A range of bytes, `[from, to)`. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * What of a file a `Range` header asks for (RFC 9110, 14.2). Several ranges at once, another unit and what is no range
 * are ignored, as the standard allows: the whole is the answer.
 *
 * @returns null: the whole; `unsatisfiable`: it begins behind the end
 */
export function readRange(header: string | undefined, total: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match) return null;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return null;
    const length = Math.min(Number(last), total);
    return length === 0 ? 'unsatisfiable' : { from: total - length, to: total };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return null;
  if (from >= total) return 'unsatisfiable';
  return { from, to: last === '' ? total : Math.min(Number(last) + 1, total) };
}
