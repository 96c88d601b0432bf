/** For tests: a temporary folder with a transcript, a recording logger, and a list of the archives. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Logger } from '../../logger';
import { archiveFolder } from '../archive-names';
import type { ArchiveSession } from '../archive-types';
import { createPreCompactHook, type PreCompactHookOptions } from '../precompact-hook';

export const LINES = `${[
  { type: 'user', sessionId: 's1', cwd: '/home/dev/harbour', message: { content: 'hello' } },
  { type: 'assistant', sessionId: 's1', message: { id: 'm1' } },
]
  .map((line) => JSON.stringify(line))
  .join('\n')}\n`;

export interface LogLine {
  level: keyof Logger;
  message: string;
  fields: Record<string, unknown> | undefined;
}

export class ArchiveBench {
  folder = '';
  readonly repo = '/home/dev/harbour';
  readonly lines: LogLine[] = [];
  readonly reports: Record<string, unknown>[] = [];

  get config(): string {
    return join(this.folder, 'config');
  }
  get archives(): string {
    return archiveFolder(this.config, this.repo);
  }

  readonly logger: Logger = {
    debug: (message, fields) => this.lines.push({ level: 'debug', message, fields }),
    info: (message, fields) => this.lines.push({ level: 'info', message, fields }),
    warn: (message, fields) => this.lines.push({ level: 'warn', message, fields }),
    error: (message, fields) => this.lines.push({ level: 'error', message, fields }),
  };

  readonly session: ArchiveSession = {
    key: 'ticket-4711',
    compaction: (fields) => this.reports.push({ type: 'compaction', ...fields }),
    archive: (fields) => this.reports.push({ type: 'archive', ...fields }),
  };

  hook(options: PreCompactHookOptions = {}) {
    return createPreCompactHook({
      repoPath: this.repo,
      configDir: this.config,
      logger: this.logger,
      ...options,
    });
  }

  /** A file in the folder. @returns its path. */
  write(name: string, content: string | Buffer = LINES): string {
    const path = join(this.folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** The hook input of a client. Its transcript exists unless `fields` names another one. */
  input(fields: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      session_id: 's1',
      ...('transcript_path' in fields ? {} : { transcript_path: this.write('t.jsonl') }),
      trigger: 'auto',
      cwd: this.repo,
      hook_event_name: 'PreCompact',
      custom_instructions: null,
      ...fields,
    };
  }

  /** Names of the archives, without hidden files. */
  names(): string[] {
    return readdirSync(this.archives).filter((name) => !name.startsWith('.'));
  }

  levels(): string[] {
    return this.lines.map(({ level }) => level);
  }
}

export function prepareArchiveBench(): { readonly bench: ArchiveBench } {
  const used = { bench: new ArchiveBench() };
  beforeEach(() => {
    used.bench = new ArchiveBench();
    used.bench.folder = mkdtempSync(join(tmpdir(), 'archive-'));
  });
  afterEach(() => rmSync(used.bench.folder, { recursive: true, force: true }));
  return used;
}

/** The permissions in octal, such as `600`. */
export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
