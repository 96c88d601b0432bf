import { asFields, asList, asText, cutText } from './fields';

const MAX_LABEL = 200;
/** Fields of a tool input that can be its label, best first. */
const LABEL_FIELDS =
  'file_path notebook_path path command cmd pattern query url description prompt subject skill'.split(' ');
const PATHS = ['file_path', 'notebook_path', 'path', 'filePath'];
const CHANGING = /edit|write|patch|create|update|delete|notebook/i;
const MAX_PATH = 1_000;

export function labelOf(input: unknown): string | null {
  if (typeof input === 'string') return shorten(input);
  const fields = asFields(input);
  if (fields === null) return null;
  for (const name of LABEL_FIELDS) {
    const value = fields[name];
    if (typeof value === 'string' && value.trim() !== '') return shorten(value);
    // Shells take their command as a list of words.
    const words = asList(value).filter((word) => typeof word === 'string');
    if (words.length > 0) return shorten(words.join(' '));
  }
  return null;
}

function shorten(text: string): string {
  const line = text
    .slice(0, MAX_LABEL * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return cutText(line, MAX_LABEL);
}

export interface TouchedFile {
  path: string;
  isChange: boolean;
}

/** Files that a tool call names in path fields and patches. Shell commands are not parsed. */
export function filesOf(tool: string, input: unknown): TouchedFile[] {
  const fields = asFields(input);
  const patch = asText(input) ?? asText(fields?.input) ?? asText(fields?.patch);
  const touched: TouchedFile[] = [];
  for (const name of PATHS) {
    const path = asText(fields?.[name]);
    if (path === null || path === '' || path.length > MAX_PATH) continue;
    // In searches, `path` is a folder.
    if (name !== 'path' || /\.[^/\\]*$/.test(path)) touched.push({ path, isChange: CHANGING.test(tool) });
    break;
  }
  if (patch?.includes('*** ')) {
    for (const match of patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.{1,1000})$/gm)) {
      touched.push({ path: (match[1] ?? '').trim(), isChange: true });
    }
  }
  return touched;
}
