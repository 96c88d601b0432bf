'use client';
import { useEffect, useId, useRef, useState } from 'react';

interface AskDialogProps {
  title: string;
  children: React.ReactNode;
  /** A reason must be given. */
  needsReason: boolean;
  actions: readonly { name: string; act: (reason: string) => Promise<void> }[];
  close: () => void;
}

/** Asks once more before something that is written down, with the reason for it. */
export function AskDialog({ title, children, needsReason, actions, close }: AskDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [reason, setReason] = useState('');
  const [state, setState] = useState<{ pending: boolean; fault: string | null }>({
    pending: false,
    fault: null,
  });
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const run = async (act: (reason: string) => Promise<void>) => {
    if (needsReason && reason.trim() === '') {
      setState({ pending: false, fault: 'A reason is needed: it is kept.' });
      return;
    }
    setState({ pending: true, fault: null });
    try {
      await act(reason.trim());
    } catch (error) {
      setState({ pending: false, fault: error instanceof Error ? error.message : String(error) });
    }
  };
  const [first, ...others] = actions;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a modal dialog by itself; the click is on its backdrop
    <dialog
      ref={dialog}
      aria-labelledby={`${id}-title`}
      className="m-auto w-[440px] max-w-[calc(100vw-32px)] border border-hair2 bg-raised p-0 text-ink backdrop:bg-ink/20"
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      <form
        className="p-[22px]"
        onSubmit={(event) => {
          event.preventDefault();
          if (first !== undefined) void run(first.act);
        }}
      >
        <h2 id={`${id}-title`} className="pb-[8px] text-title">
          {title}
        </h2>
        <div className="pb-[14px] text-ink2">{children}</div>
        <label htmlFor={`${id}-reason`} className="block text-small text-ink2">
          Reason{needsReason ? '' : ' (optional)'}
        </label>
        <input
          id={`${id}-reason`}
          value={reason}
          maxLength={500}
          autoComplete="off"
          onChange={(event) => setReason(event.target.value)}
          className="h-[28px] w-full border-b border-hair2 bg-transparent outline-none focus:border-ink"
        />
        <p role="alert" className="min-h-[24px] pt-[4px]">
          {state.fault}
        </p>
        <div className="flex flex-wrap justify-end gap-[10px] pt-[6px]">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          {others.map(({ name, act }) => (
            <button
              key={name}
              type="button"
              className="button"
              disabled={state.pending}
              onClick={() => void run(act)}
            >
              {name}
            </button>
          ))}
          {first === undefined ? null : (
            <button type="submit" className="button border-ink" disabled={state.pending}>
              {first.name}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}
