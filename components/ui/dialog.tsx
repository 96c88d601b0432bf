'use client';
/**
 * A modal dialog on Radix: focus goes in and stays, comes back where it was, Esc and a press outside close it.
 *
 * Radix's own overlay is left out: it stops the page's scrolling with a style element, which the page's policy
 * refuses. The backdrop here is a plain box, and one rule in globals.css stops the scrolling.
 */
import { Dialog as Radix } from 'radix-ui';
import { useState } from 'react';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Read aloud only: the dialog shows what it is by itself. */
  hideTitle?: boolean;
  description?: React.ReactNode;
  /** What would be lost by closing now, as in “The note is not saved.”; null: nothing, and it closes at once. */
  unsaved?: string | null;
  className?: string;
  children: React.ReactNode;
}

export function Dialog({
  open,
  onClose,
  title,
  hideTitle = false,
  description,
  unsaved = null,
  className = 'top-[12vh] w-[440px]',
  children,
}: DialogProps) {
  // Mounted when it is asked for: what has the focus then gets it back.
  const [before] = useState(() => document.activeElement);
  const [asked, setAsked] = useState<{ from: Element | null } | null>(null);
  // Esc and a press outside are easily done: what was typed is asked about, and kept meanwhile. The button is meant.
  const hold = (event: Event) => {
    if (unsaved === null) return;
    event.preventDefault();
    if (asked === null) setAsked({ from: document.activeElement });
  };
  const goOn = () => {
    setAsked(null);
    if (asked?.from instanceof HTMLElement) asked.from.focus();
  };
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Radix.Portal>
        <div className="dialog-backdrop" aria-hidden="true" />
        <Radix.Content
          aria-modal="true"
          onEscapeKeyDown={hold}
          onInteractOutside={hold}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (before instanceof HTMLElement) before.focus();
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={`dialog ${className}`}
        >
          <div
            className={hideTitle ? 'sr-only' : 'flex items-center justify-between gap-[16px] p-[22px] pb-0'}
          >
            <Radix.Title className="text-title">{title}</Radix.Title>
            {hideTitle ? null : (
              <Radix.Close type="button" className="button">
                Close
              </Radix.Close>
            )}
          </div>
          {description === undefined ? null : (
            <Radix.Description className="px-[22px] pt-[4px] text-ink2">{description}</Radix.Description>
          )}
          {children}
          {asked !== null && unsaved !== null ? (
            <div
              role="alert"
              className="flex flex-wrap items-center gap-x-[12px] gap-y-[6px] border-t border-ink px-[22px] py-[12px]"
            >
              <p className="mr-auto">{unsaved}</p>
              <button type="button" className="button" ref={focus} onClick={goOn}>
                Keep editing
              </button>
              <button type="button" className="button" onClick={onClose}>
                Discard
              </button>
            </div>
          ) : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function focus(button: HTMLButtonElement | null): void {
  button?.focus();
}
