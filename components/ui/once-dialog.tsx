import { CopyButton } from './copy-button';
import { Dialog } from './dialog';

interface OnceDialogProps {
  title: string;
  description: string;
  secret: string;
  /** As in `token`. */
  what: string;
  onClose: () => void;
}

/** Shows a secret that the server does not show again. */
export function OnceDialog({ secret, what, ...dialog }: OnceDialogProps) {
  return (
    <Dialog open unsaved={`The ${what} cannot be shown again.`} className="top-[12vh] w-[560px]" {...dialog}>
      <div className="form">
        <div className="flex items-start justify-between gap-[12px] bg-sunken py-[9px] pr-[9px] pl-[11px]">
          <code className="min-w-0 flex-1 pt-[2px] font-mono break-all">{secret}</code>
          <CopyButton text={secret} what={`the ${what}`} />
        </div>
      </div>
    </Dialog>
  );
}
