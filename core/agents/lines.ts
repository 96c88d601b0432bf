/** JSON values on one line. A process that resumes after a missing line feed writes two values on one line. */
import { cutGluedValues } from '../transcript/split-entries';
import { asFields, type Fields } from './fields';

interface SplitLine {
  values: unknown[];
  /** Whether the line ends with text that is not JSON. The values before that text are kept. */
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

export function fieldsOn(line: string): Fields[] {
  return splitValues(line)
    .values.map(asFields)
    .filter((fields) => fields !== null);
}

function splitGlued(text: string): SplitLine {
  const bytes = new TextEncoder().encode(text);
  const values: unknown[] = [];
  let from = 0;
  for (const to of [...cutGluedValues(bytes), bytes.length]) {
    try {
      values.push(JSON.parse(new TextDecoder().decode(bytes.subarray(from, to))));
    } catch {
      return { values, undecodable: true };
    }
    from = to;
  }
  return { values, undecodable: false };
}
