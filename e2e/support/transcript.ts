/** A transcript of Claude Code that grows line by line. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface CallFigures {
  id: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

export class Transcript {
  readonly path: string;
  readonly key: string;
  private last: string | null = null;

  /** @param home HOME of the command that reads the transcript */
  constructor(
    home: string,
    private readonly cwd: string,
    private readonly sessionId: string = randomUUID(),
  ) {
    const folder = cwd.replaceAll('/', '-');
    this.path = join(home, '.claude', 'projects', folder, `${sessionId}.jsonl`);
    this.key = sessionId;
    mkdirSync(dirname(this.path), { recursive: true });
  }

  user(content: string): void {
    this.append({ type: 'user', message: { role: 'user', content } });
  }

  /**
   * One call: a line per content block, each with the same usage. The call's id includes the session's id, because
   * stories share a server and a call belongs to its first session.
   */
  call({ id: name, input, output, cacheRead, cacheCreation }: CallFigures): void {
    const id = `${name}_${this.sessionId}`;
    for (const content of [
      { type: 'thinking', thinking: '…' },
      { type: 'text', text: 'Done.' },
    ]) {
      this.append({
        type: 'assistant',
        requestId: `req_${id}`,
        message: {
          model: 'claude-sonnet-4-5-20250929',
          id,
          type: 'message',
          role: 'assistant',
          content: [content],
          stop_reason: null,
          usage: {
            input_tokens: input,
            output_tokens: output,
            cache_read_input_tokens: cacheRead,
            cache_creation_input_tokens: cacheCreation,
          },
        },
      });
    }
  }

  compaction(trigger: 'auto' | 'manual', preTokens: number): void {
    this.append({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      level: 'info',
      compactMetadata: { trigger, preTokens },
    });
  }

  private append(line: Record<string, unknown>): void {
    const uuid = randomUUID();
    const common = {
      parentUuid: this.last,
      isSidechain: false,
      userType: 'external',
      cwd: this.cwd,
      sessionId: this.sessionId,
      version: '2.1.90',
      gitBranch: 'main',
      uuid,
      timestamp: new Date().toISOString(),
    };
    this.last = uuid;
    appendFileSync(this.path, `${JSON.stringify({ ...common, ...line })}\n`);
  }
}
