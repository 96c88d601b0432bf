/** Whether a summary names something: by what it is called in full, or as people call it. */

const MIN_NAME = 3;

/** `what` is a path, a command or a pattern. */
export function isNamed(what: string, summary: string): boolean {
  const whole = what.trim();
  if (whole.length < MIN_NAME) return false;
  if (summary.includes(whole.replace(/…$/, ''))) return true;
  // People and models call a file by its name; `index.ts` alone would name every folder's.
  if (/\s/.test(whole)) return false;
  const parts = whole.split(/[\\/]/).filter((part) => part !== '');
  const name = parts.at(-1) ?? '';
  if (parts.length < 2 || name.length < MIN_NAME || !name.includes('.')) return false;
  const isCommon = /^(index|main|mod|init|__init__|readme|package|page|route)\./i.test(name);
  return holdsName(summary, isCommon ? parts.slice(-2).join('/') : name);
}

/** As a name of its own: not within another one. */
function holdsName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + name.length] ?? ' ';
    if (!/[\w-]/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}
