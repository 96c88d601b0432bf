/**
 * JSON values on one line. A process that resumes on a file without a final newline glues its first
 * value to the last one, so a line may hold several.
 */
export interface SplitLine {
  values: unknown[];
  /** Whether a remainder did not decode. What came before it stands. */
  undecodable: boolean;
}

export function splitValues(line: string): SplitLine {
  const text = line.trim();
  if (text === '') return { values: [], undecodable: false };
  try {
    return { values: [JSON.parse(text)], undecodable: false };
  } catch {
    return splitGlued(text);
  }
}

function splitGlued(text: string): SplitLine {
  const values: unknown[] = [];
  let from = 0;
  while (from < text.length) {
    const end = endOfValue(text, from);
    if (end === null) return { values, undecodable: true };
    try {
      values.push(JSON.parse(text.slice(from, end)));
    } catch {
      return { values, undecodable: true };
    }
    from = end;
    while (from < text.length && /\s/.test(text.charAt(from))) from += 1;
  }
  return { values, undecodable: false };
}

/** Index after the object or array that begins at `from`; null when it does not close or is neither. */
function endOfValue(text: string, from: number): number | null {
  const first = text[from];
  if (first !== '{' && first !== '[') return null;
  let depth = 0;
  let inString = false;
  for (let i = from; i < text.length; i += 1) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i += 1;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') depth += 1;
    else if (c === '}' || c === ']') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return null;
}
