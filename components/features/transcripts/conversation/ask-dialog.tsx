'use client';
import { useEffect, useId, useRef, useState } from 'react';

interface AskDialogProps {
  title: string;
  children: React.ReactNode;
  /** A reason must be given. */
  needsReason: boolean;
  action: { name: string; act: (reason: string) => Promise<void> };
  close: () => void;
}

/** Confirmation of an audited action, with its reason. */
export function AskDialog({ title, children, needsReason, action, close }: AskDialogProps) {
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
  const run = async () => {
    if (needsReason && reason.trim() === '') {
      setState({ pending: false, fault: 'Reason required' });
      return;
    }
    setState({ pending: true, fault: null });
    try {
      await action.act(reason.trim());
    } catch (error) {
      setState({ pending: false, fault: error instanceof Error ? error.message : String(error) });
    }
  };
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
          void run();
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
          <button type="submit" className="button border-ink" disabled={state.pending}>
            {action.name}
          </button>
        </div>
      </form>
    </dialog>
  );
}
