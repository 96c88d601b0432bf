/** The settings of a real Claude Code, and its runs. The Agent SDK runs with the same settings. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionFile } from '@/core/settings/connection-file';
import type { Program } from '../support/program';
import { type AgentOptions, type Parent, RealAgent } from './real-agent';
import { Terminal } from './terminal';

const KEY = 'key-of-a-scripted-server-0000';
/** The user's own status line, which `barograph connect` keeps. */
export const STATUS_LINE = 'my-own-status-line';

interface ClientHomeOptions extends AgentOptions {
  connection: ConnectionFile;
}

export class ClientHome extends RealAgent<ClientHomeOptions> {
  constructor(options: ClientHomeOptions) {
    const { home, work, modelUrl, connection } = options;
    super(options, {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_MODEL: 'claude-sonnet-4-5-20250929',
      // Without this setting, version 2.1.330 compacts only at the limit.
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '150000',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORT_INTERVAL: '500',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_ENDPOINT: connection.url,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${connection.ingestToken}`,
    });
    for (const each of [join(home, '.claude', 'projects'), work]) mkdirSync(each, { recursive: true });
    const statusLine = { type: 'command', command: `echo ${STATUS_LINE}` };
    writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify({ statusLine }));
    const answered = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    };
    writeFileSync(join(home, '.claude.json'), JSON.stringify(answered));
  }

  async run(prompt: string, ...[way, parent = '']: Parent): Promise<string> {
    const id = way === 'resume' ? parent : randomUUID();
    const fork = way === 'fork' ? ['--resume', parent, '--fork-session'] : [];
    await this.print(prompt, way === 'resume' ? ['--resume', id] : [...fork, '--session-id', id]);
    return id;
  }

  override start(args: readonly string[]): Program {
    return super.start(['--allowedTools=Bash,Task,Agent', ...args]);
  }

  /** Run one prompt in print mode. @throws Error if the client fails */
  async print(prompt: string, args: readonly string[]): Promise<void> {
    await this.finish(['-p', prompt, ...args]);
  }

  open(args: readonly string[]): Terminal {
    return this.converse(Terminal, ['--allowedTools=Bash', ...args]);
  }
}
