import { asFields, asList, asText, cleanText, cutText } from './fields';

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
  const text = asText(input) ?? asText(fields?.input) ?? asText(fields?.patch);
  // A script has its patch in a string literal.
  const patch = text?.includes('\n*** ') ? text : text?.replaceAll('\\n', '\n');
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

export interface Task {
  /** The client's id. Null: the result of the call that creates the task states it. */
  id: string | null;
  text: string;
  state: 'open' | 'started' | 'done';
}

const TASK_TOOLS = /^(todo_?write|update_plan|task_?create|task_?update)$/i;
const MAX_TASKS = 200;
const MAX_TASK = 500;

/** The task list after a tool call that writes it. Null: the call changes no tasks. */
export function tasksAfter(tool: string, input: unknown, tasks: readonly Task[]): readonly Task[] | null {
  const fields = TASK_TOOLS.test(tool) ? asFields(input) : null;
  if (fields === null) return null;
  const list = asList(fields.todos ?? fields.plan).map(asFields);
  if (list.length > 0)
    return list.slice(0, MAX_TASKS).flatMap((task) => taskOf(task?.content ?? task?.step, task?.status));
  if (/create/i.test(tool))
    return tasks.length < MAX_TASKS ? [...tasks, ...taskOf(fields.subject, 'pending')] : null;
  const id = String(fields.taskId);
  if (fields.status === undefined) return null;
  return tasks.map((task) => (task.id === id ? { ...task, state: taskState(fields.status) } : task));
}

/** The task list after a result that states the id of a created task. Null: it states none. */
export function tasksNamed(tool: string, result: string, tasks: readonly Task[]): readonly Task[] | null {
  const id = /^task_?create$/i.test(tool) ? /#(\w+)/.exec(result)?.[1] : undefined;
  const unnamed = tasks.find((task) => task.id === null);
  if (id === undefined || unnamed === undefined) return null;
  return tasks.map((task) => (task === unnamed ? { ...task, id } : task));
}

function taskOf(text: unknown, status: unknown): Task[] {
  const clean = cleanText(text, MAX_TASK);
  return clean === null ? [] : [{ id: null, text: clean, state: taskState(status) }];
}

function taskState(status: unknown): Task['state'] {
  if (status === 'in_progress') return 'started';
  return status === 'pending' ? 'open' : 'done';
}
