/**
 * Reads the lines of a `.env` file: `NAME=value`, `export ` before it allowed, quotes around the value
 * optional, `#` begins a comment. No escapes, no variables within values.
 */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(line);
    if (!match) continue;
    const [, name = '', rest = ''] = match;
    const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(rest);
    values[name] = quoted ? (quoted[2] ?? '') : rest.replace(/(^|\s)#.*$/, '').trim();
  }
  return values;
}
