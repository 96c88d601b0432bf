/** What an archived file is written in: Claude Code's JSONL, a Codex rollout, or any other text. */
export const TRANSCRIPT_FORMATS = ['claude-code', 'codex', 'text'] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];
