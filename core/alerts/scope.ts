import type { AlertScope } from './rule';

/** Compile a pattern in which `*` matches any characters; case does not matter. */
function compile(pattern: string): (value: string) => boolean {
  const parts = pattern.toLowerCase().split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  return (given) => {
    const value = given.toLowerCase();
    if (last === undefined) return value === first;
    if (!value.startsWith(first) || value.length < first.length + last.length) return false;
    // Not a regular expression, because several `*` could take exponential time.
    let from = first.length;
    for (const part of rest) {
      const found = value.indexOf(part, from);
      if (found < 0) return false;
      from = found + part.length;
    }
    return value.length - last.length >= from && value.endsWith(last);
  };
}

export type Scoped = { [K in keyof AlertScope]: string | null };

export function compileScope(scope: AlertScope): (subject: Scoped) => boolean {
  const tests = (Object.keys(scope) as (keyof AlertScope)[]).flatMap((field) => {
    const patterns = scope[field].map(compile);
    return patterns.length === 0 ? [] : [{ field, patterns }];
  });
  return (subject) =>
    tests.every(({ field, patterns }) => {
      const value = subject[field];
      return value !== null && patterns.some((matches) => matches(value));
    });
}
