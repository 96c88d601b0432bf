/**
 * Starts a server that recognises no repeated report of a call: `NODE_OPTIONS=--import=…/without-deduplication.mjs`.
 * Node runs this module in the server, and again in the thread that loads the server's modules.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Expressions of the built server, with what replaces them. */
const CHANGES = [
  [/return \(Array\.isArray\(call\).*callKey\(\w+, (type, .*)\)\);/, 'return [callKey(undefined, $1)];'],
  [/(?<=\?\? )matchByUsage\(plan, call\)/, 'undefined'],
];

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/dist/server/main.mjs')) return loaded;
  let source = String(loaded.source);
  for (const [expression, replacement] of CHANGES) {
    const changed = source.replace(expression, replacement);
    if (changed === source) throw new Error(`The built server has no ${expression}.`);
    source = changed;
  }
  return { ...loaded, source };
}
