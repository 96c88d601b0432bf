import { claudeCode } from './claude-code';
import type { TranscriptFormat } from './format';

/** Every format the commands read, tried in this order. A new one joins here. */
export const formats: readonly TranscriptFormat[] = [claudeCode];
