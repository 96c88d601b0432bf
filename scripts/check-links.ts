import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { listFiles } from './lib/list-files';

const LINK = /!?\[[^\]]*\]\(\s*<?([^)>\s]+)>?(?:\s+"[^"]*")?\s*\)/g;
const PICTURE = /<(?:img|source)\b[^>]*\bsrc(?:set)?="([^"]+)"/g;
const REFERENCE = /^\[[^\]]+\]:\s*<?([^>\s]+)>?/gm;

/** A sentence for each dead link of the Markdown files below `root`. Web addresses are not visited. */
export function findDeadLinks(root: string): string[] {
  const files = listFiles(root, '').filter((path) => path.endsWith('.md'));
  return files.flatMap((file) => findDeadLinksOf(root, file));
}

function findDeadLinksOf(root: string, file: string): string[] {
  const text = withoutCode(readFileSync(join(root, file), 'utf8'));
  const targets = [LINK, PICTURE, REFERENCE].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? ''),
  );
  return targets.flatMap((target) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const wanted = path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path)));
    if (wanted.startsWith('..') || !existsSync(join(root, wanted)))
      return [`${file}: ${target} leads nowhere.`];
    if (anchor === undefined || !wanted.endsWith('.md') || statSync(join(root, wanted)).isDirectory())
      return [];
    const anchors = headingAnchors(readFileSync(join(root, wanted), 'utf8'));
    return anchors.has(anchor.toLowerCase()) ? [] : [`${file}: ${wanted} has no heading #${anchor}.`];
  });
}

function withoutCode(text: string): string {
  return text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
}

/** Anchors of headings, as common Markdown hosts make them. */
function headingAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const match of text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#{1,6}\s+(.*)$/gm)) {
    const base = (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    let anchor = base;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${base}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}
