/** For tests: a config folder with archives as hooks make them, and a transcript that grows. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArchiveIndex } from '../../archive/archive-index';
import { archiveTranscript } from '../../archive/archive-transcript';
import type { ArchiveEntry } from '../../archive/archive-types';
import { readHookInput } from '../../archive/read-hook-input';
import { promptLine, SESSION_ID } from '../../transcripts/testing/write-transcript';
import type { EntryUpload } from '../upload-entry';

export const SESSION = `claude-code:${SESSION_ID}`;

export class UploadBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'uploads-'));
  readonly config = join(this.folder, 'config');
  readonly projects = join(this.folder, 'projects');
  readonly transcript = join(this.projects, '-home-dev-harbour', `${SESSION_ID}.jsonl`);

  constructor() {
    mkdirSync(join(this.transcript, '..'), { recursive: true });
    this.append(promptLine('Count the ships'));
  }

  append(text: string): void {
    appendFileSync(this.transcript, text);
  }

  /** Archives the current transcript as the hook does. */
  async hook(at = Date.parse('2026-03-01T10:00:01.500Z')): Promise<ArchiveEntry> {
    const input = readHookInput({
      session_id: SESSION_ID,
      transcript_path: this.transcript,
      cwd: '/home/dev/harbour',
      hook_event_name: 'PreCompact',
      trigger: 'auto',
    });
    const about = { repoPath: '/home/dev/harbour', configFolder: this.config, session: null, now: at };
    return (await archiveTranscript({ input, ...about })).entry;
  }

  async entries(): Promise<ArchiveEntry[]> {
    return (await readArchiveIndex(this.config)).entries;
  }

  uploadTo({ url }: { url: string }): EntryUpload {
    return {
      server: { url, token: 'bg_up' },
      configFolder: this.config,
      host: 'pier',
      project: null,
      options: { timing: { baseMs: 1, capMs: 5, patienceMs: 50 } },
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
