/** Encoded data: pictures, and what a client signed or sealed. Search skips it. */
const ENCODED: ReadonlySet<string> = new Set(['data', 'signature', 'encrypted_content', 'image_url']);

/**
 * The texts within parts that were not taken apart, in the order of the line. They may be nested as deeply as a line
 * can be, so what is still to be looked at is a list and no call within a call.
 */
export function restText(values: readonly unknown[]): string {
  const texts: string[] = [];
  const waiting: unknown[] = [...values].reverse();
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number') texts.push(String(value));
    else if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i -= 1) waiting.push(value[i]);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value).reverse()) {
        if (!ENCODED.has(name) && name !== 'type') waiting.push(inner);
      }
    }
  }
  return texts.join('\n');
}
