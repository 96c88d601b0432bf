'use client';
import { useQueries } from '@tanstack/react-query';
import type { CommandList } from '@/core/api/commands';
import { COMMAND_ACTIONS, type CommandAction } from '@/core/protocol/commands';
import { fetchJson } from '../data/fetch-json';

/** Results take seconds, because the agent finishes its current message first. */
const POLL_MS = 2_000;
const isOpen = ({ state }: CommandList['commands'][number]) => state === 'sent' || state === 'received';

export const commandsPath = (session: string) => `/api/v1/sessions/${encodeURIComponent(session)}/commands`;

export interface SessionCommands {
  /** The loaded lists, by session. */
  lists: ReadonlyMap<string, CommandList>;
  /** Actions that a runner of at least one session carries out; none if the server sends no commands. */
  actions: CommandAction[];
  /** Number of commands without a result. */
  open: number;
  isPending: boolean;
  refetch: () => void;
}

/** The commands of sessions, and what their runners carry out. */
export function useCommandLists(sessions: readonly string[]): SessionCommands {
  return useQueries({
    queries: sessions.map((session) => ({
      queryKey: ['sessions', session, 'commands'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        fetchJson<CommandList>(commandsPath(session), { signal }),
      refetchInterval: ({ state }: { state: { data?: CommandList | undefined } }) =>
        state.data?.commands.some(isOpen) ? POLL_MS : false,
    })),
    combine(results) {
      const data = results.flatMap((result) => result.data ?? []);
      const possible = data.flatMap(({ enabled, actions }) => (enabled ? actions : []));
      return {
        lists: new Map(data.map((list) => [list.sessionId, list])),
        actions: COMMAND_ACTIONS.filter((action) => possible.includes(action)),
        open: data.reduce((sum, { commands }) => sum + commands.filter(isOpen).length, 0),
        isPending: results.some((result) => result.isPending),
        refetch: () => void Promise.all(results.map((result) => result.refetch())),
      };
    },
  });
}
