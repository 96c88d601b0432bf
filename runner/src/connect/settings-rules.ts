/** Which settings each agent reads. An agent ignores a whole file, or does not start, if one character breaks its rules. */
import { type ParseError, parse, printParseErrorCode, stripComments } from 'jsonc-parser';

/** How an agent reads a JSON file, found by running it with such files. No agent accepts a comma before a bracket. */
export interface SettingsRules {
  hasComments: boolean;
  /** Whether the file may begin with a byte order mark. */
  hasMark: boolean;
  /** The only names of the file; absent: any name. */
  names?: readonly string[];
}

const MARK = '\uFEFF';

/** @param text of a file, not blank. @returns why an agent with these rules does not read it; null if it does */
export function findRefusal(text: string, { hasComments, hasMark, names }: SettingsRules): string | null {
  if (!hasMark && text.startsWith(MARK)) return 'it begins with a byte order mark';
  const json = text.startsWith(MARK) ? text.slice(1) : text;
  const errors: ParseError[] = [];
  const value = parse(json, errors, { disallowComments: !hasComments });
  const [first] = errors;
  if (first !== undefined) return describeError(json, first);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not a JSON object';
  const foreign = names && Object.keys(value).find((name) => !names.includes(name));
  return foreign === undefined ? null : `it has the unknown key "${foreign}"`;
}

/** Where and why a text is not valid, as in “line 3 has a comment”. */
export function describeError(text: string, { error, offset }: ParseError): string {
  const before = text.slice(0, offset);
  const line = `line ${before.split('\n').length}`;
  const name = printParseErrorCode(error);
  if (name === 'InvalidCommentToken') return `${line} has a comment`;
  if (/[}\]]/.test(text[offset] ?? '') && /,\s*$/.test(stripComments(before)))
    return `${line} has a comma before a bracket`;
  return `${line} is not valid JSON: ${name.replace(/(?<=.)([A-Z])/g, ' $1').toLowerCase()}`;
}
