'use client';
import { useMutation } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import type { Command, CommandList, NewCommand } from '@/core/api/commands';
import type { CommandAction } from '@/core/protocol/commands';
import { fetchJson } from '../data/fetch-json';
import { Ago } from '../ui/ago';
import { Choice } from '../ui/choice';
import { Dialog } from '../ui/dialog';
import { Field, Form } from '../ui/form-parts';
import { COMMAND_EFFECTS, COMMAND_LABELS } from './command-words';
import { commandsPath, useCommandLists } from './use-command-lists';

const SHOWN = 5;

/** A session that gets the command. */
export interface CommandTarget {
  id: string;
  title: string;
}

export interface CommandStart {
  action: CommandAction;
  /** Message of `say`. */
  text: string;
}

interface CommandDialogProps {
  targets: readonly CommandTarget[];
  /** The first values of the form. */
  start?: CommandStart;
  onClose: () => void;
}

export default function CommandDialog({ targets, start, onClose }: CommandDialogProps) {
  const { lists, actions, isPending: isLoading, refetch } = useCommandLists(targets.map(({ id }) => id));
  const [chosen, setChosen] = useState<CommandAction | null>(start?.action ?? null);
  const [text, setText] = useState(start?.text ?? '');
  const [reason, setReason] = useState('');
  const id = useId();
  const action = actions.find((possible) => possible === chosen) ?? actions[0];
  const isAble = (possible: CommandAction | undefined, session: string) =>
    lists.get(session)?.actions.some((one) => one === possible) === true;
  const able = targets.filter((target) => isAble(action, target.id));
  // A retry uses the same ids, so that no command is sent twice.
  const ids = useRef(new Map<string, string>());
  const { mutate, isPending, error } = useMutation({
    mutationFn: (command: Omit<NewCommand, 'id'>) =>
      Promise.all(
        able.map((target) => {
          const known = ids.current.get(target.id) ?? crypto.randomUUID();
          ids.current.set(target.id, known);
          const body: NewCommand = { ...command, id: known };
          return fetchJson<Command>(commandsPath(target.id), { method: 'POST', body });
        }),
      ),
    onSuccess: () => {
      ids.current.clear();
      setText('');
      setReason('');
    },
    onSettled: refetch,
  });
  const isMissing = action === undefined || (action === 'say' && text.trim() === '');
  const send = () => {
    if (action === undefined) return;
    mutate({
      action,
      ...(action === 'say' && { text: text.trim() }),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    });
  };
  const [first, ...others] = targets;
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={text.trim() === '' ? null : 'Your message is not sent.'}
      title="Send command"
      description={others.length === 0 ? first?.title : `${targets.length} sessions`}
    >
      <Form
        failure={error}
        label={able.length > 1 ? `Send to ${able.length}` : 'Send'}
        disabled={isPending || isMissing}
        send={send}
      >
        {action === undefined ? (
          <p>{isLoading ? 'Loading the actions…' : 'No runner of this session accepts commands.'}</p>
        ) : (
          <Choice
            legend="Action"
            name="action"
            value={action}
            options={actions.map((value) => ({ value, label: COMMAND_LABELS[value] }))}
            onChange={(next) => {
              ids.current.clear();
              setChosen(next);
            }}
          />
        )}
        {action === undefined ? null : (
          <p className="text-ink2">
            {COMMAND_EFFECTS[action]}
            {able.length === targets.length ? '' : ` ${able.length} of ${targets.length} sessions accept it.`}
          </p>
        )}
        {action === 'say' ? (
          <div>
            <label htmlFor={`${id}-text`}>Message</label>
            <textarea
              id={`${id}-text`}
              className="field h-auto w-full resize-y py-[6px]"
              rows={4}
              maxLength={10_000}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </div>
        ) : null}
        <Field label="Reason, for the audit log" maxLength={500} value={reason} onValue={setReason} />
      </Form>
      <SentCommands targets={targets} lists={lists} />
    </Dialog>
  );
}

interface SentCommandsProps {
  targets: readonly CommandTarget[];
  lists: ReadonlyMap<string, CommandList>;
}

/** The newest commands of a session, or the newest of each of several sessions. */
function SentCommands({ targets, lists }: SentCommandsProps) {
  const most = targets.length === 1 ? SHOWN : 1;
  const rows = targets.flatMap(({ id, title }) =>
    (lists.get(id)?.commands ?? []).slice(0, most).map((command) => ({ title, command })),
  );
  if (rows.length === 0) return null;
  return (
    <ul
      aria-label="Sent commands"
      className="mx-[22px] mb-[22px] max-h-[240px] overflow-y-auto border-t border-hair"
    >
      {rows.map(({ title, command: { id, action, state, refusal, actor, changedAt } }) => (
        <li key={id} className="flex items-baseline gap-x-[12px] border-b border-hair py-[6px]">
          <span className="w-[84px] shrink-0 font-medium">{COMMAND_LABELS[action]}</span>
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            {state}
            {refusal === null ? '' : `: ${refusal}`}
            {targets.length === 1 ? null : <span className="text-ink2"> · {title}</span>}
          </span>
          <span className="shrink-0 text-small text-ink2">
            {actor}, <Ago at={changedAt} /> ago
          </span>
        </li>
      ))}
    </ul>
  );
}
