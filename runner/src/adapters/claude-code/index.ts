import type { TranscriptFormat } from '../format';
import { acceptsPath, identify } from './identify';
import { createClaudeCodeParser } from './parser';

export const claudeCode: TranscriptFormat = {
  name: 'claude-code',
  accepts: acceptsPath,
  identify,
  createParser: (options) => createClaudeCodeParser(options),
};
