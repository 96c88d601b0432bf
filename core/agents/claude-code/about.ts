import type { Client } from '../agent-format';

export const NAME = 'claude-code';

const RESERVE_TOKENS = 33_000;
const RESERVE_UP_TO_2_1_20 = 45_000;

export const aboutClaudeCode = {
  name: NAME,
  names: /^claude[-_ ]?code\b/i,
  label: 'Claude Code',
  resume: 'claude --resume',
  afterRefusal: 'after a refusal Claude Code compacts',
  transcripts: { variable: 'CLAUDE_CONFIG_DIR', home: '.claude', folders: ['projects'] },
  projectVariable: 'CLAUDE_PROJECT_DIR',
  summaryChain: 'acompact-',
  /** Measured on transcripts of Claude Code. */
  compactionReserve(version: string | null) {
    if (version === null) return RESERVE_TOKENS;
    const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
    if (parts === null) return null;
    const [major = 0, minor = 0, patch = 0] = parts.slice(1).map(Number);
    const rank = major * 1e8 + minor * 1e4 + patch;
    if (rank >= 2_0001_0025) return RESERVE_TOKENS;
    return rank <= 2_0001_0020 ? RESERVE_UP_TO_2_1_20 : null;
  },
} satisfies Client;
