/** The imports of each file, and those that the table of rooms forbids. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';
import { components, isPackageAllowed, rooms } from './rooms';
import type { SourceFile } from './sources';

interface Import {
  /** As written. */
  name: string;
  /** Path of the imported file; none for a package. */
  target: string | undefined;
}

/** The imports of each file, with type imports, re-exports and dynamic imports of a literal. */
export type ImportGraph = Map<string, Import[]>;

export function readImports(root: string, files: readonly SourceFile[]): ImportGraph {
  const scripts = files.filter(({ path }) => /\.tsx?$/.test(path));
  return new Map(
    scripts.map(({ path, text }) => {
      const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
      const names = [
        ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
        ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
        ...dynamicImports.map(
          ({ moduleRequest: { start, end } }) => /^['"](.+)['"]$/.exec(text.slice(start, end))?.[1],
        ),
      ].filter((name) => name !== undefined);
      return [path, [...new Set(names)].map((name) => ({ name, target: resolve(root, path, name) }))];
    }),
  );
}

const ENDINGS = ['', '.ts', '.tsx', '.mjs', '/index.ts', '/index.tsx'];

function resolve(root: string, from: string, name: string): string | undefined {
  if (!/^(\.|@\/)/.test(name)) return undefined;
  const path = name.startsWith('@/') ? name.slice(2) : normalize(join(dirname(from), name));
  const isFile = (candidate: string) =>
    existsSync(join(root, candidate)) && statSync(join(root, candidate)).isFile();
  return ENDINGS.map((ending) => path + ending).find(isFile) ?? path;
}

const roomOf = (path: string) => path.split('/')[0] ?? '';
const isWithin = (path: string, place: string) =>
  path === place || path.startsWith(`${place}/`) || path.startsWith(`${place}.`);

/** A sentence for each import that the table of rooms or the layers forbid. */
export function findForbiddenImports(graph: ImportGraph): string[] {
  return [...graph].flatMap(([path, imports]) =>
    imports.flatMap(({ name, target }) => {
      const reason = target === undefined ? judgePackage(path, name) : judgeTarget(path, target);
      return reason === undefined ? [] : [`${path} imports ${name}: ${reason}`];
    }),
  );
}

function judgePackage(path: string, name: string): string | undefined {
  return isPackageAllowed(path, name) ? undefined : rooms[roomOf(path)]?.advice;
}

function judgeTarget(path: string, target: string): string | undefined {
  const [from, to] = [roomOf(path), roomOf(target)];
  if (from === to) return from === 'components' ? judgeLayer(path, target) : undefined;
  const rule = rooms[from];
  if (rule === undefined || !(to in rooms)) return undefined;
  return rule.may.some((place) => isWithin(target, place)) ? undefined : rule.advice;
}

function judgeLayer(path: string, target: string): string | undefined {
  const layerOf = (file: string) =>
    components.findIndex((layer) => layer.some((folder) => isWithin(file, `components/${folder}`)));
  const [from, to] = [layerOf(path), layerOf(target)];
  if (from === -1 || to === -1)
    return 'components/ has no such layer. Add the folder to scripts/house/rooms.ts.';
  const feature = (file: string) => /^components\/features\/([^/]+)/.exec(file)?.[1];
  if (from > to || (from === to && feature(path) === feature(target))) return undefined;
  return from === to
    ? 'a feature imports no other feature. What two of them share belongs in a layer below (ui, charts, explain …).'
    : `components/${components[from]?.join(', ')} is below components/${components[to]?.join(', ')}. Move what both need down, or pass it in.`;
}
