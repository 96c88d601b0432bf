import { CopyButton } from './copy-button';

/** A command with a copy button. */
export function CommandBlock({ command, what }: { command: string; what: string }) {
  return (
    <div className="flex items-start justify-between gap-[12px] bg-sunken py-[9px] pr-[9px] pl-[11px]">
      <pre className="min-w-0 flex-1 pt-[2px] font-mono break-words whitespace-pre-wrap">
        <span className="text-ink2 select-none" aria-hidden="true">
          ${' '}
        </span>
        <code className="font-mono">{command}</code>
      </pre>
      <CopyButton text={command} what={what} />
    </div>
  );
}
