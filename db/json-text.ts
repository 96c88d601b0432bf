const SUSPECT = /\\u(?:0000|d[89a-f])/;
/** Escaped backslashes match first, so that a text with a literal `\ud800` stays unchanged. */
const ESCAPES = /\\(?:\\|u0000|ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|ud[89a-f][0-9a-f]{2})/g;

/** JSON for Postgres, which rejects NUL and unpaired surrogates: each becomes U+FFFD. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!SUSPECT.test(text)) return text;
  return text.replace(ESCAPES, (found) => {
    const isWhole = found === '\\\\' || found.length === 12;
    return isWhole ? found : '\\ufffd';
  });
}
