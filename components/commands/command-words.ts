import type { CommandAction } from '@/core/protocol/commands';

export const COMMAND_LABELS: Readonly<Record<CommandAction, string>> = {
  checkpoint: 'Checkpoint',
  restart: 'Restart',
  compact: 'Compact',
  stop: 'Stop',
  say: 'Message',
};

export const COMMAND_EFFECTS: Readonly<Record<CommandAction, string>> = {
  checkpoint: 'The agent writes a checkpoint and continues.',
  restart: 'The agent writes a checkpoint, and a fresh context starts from it.',
  compact: 'The client compacts the context.',
  stop: 'The agent writes a checkpoint, and the run ends.',
  say: 'The agent gets the message with its next call.',
};
