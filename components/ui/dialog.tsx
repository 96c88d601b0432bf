'use client';
/**
 * A modal dialog on Radix. The content security policy refuses the style element of Radix's overlay. The backdrop is
 * therefore a plain box, and a rule in globals.css stops the scrolling.
 */
import { Dialog as Radix } from 'radix-ui';
import { useState } from 'react';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  hideTitle?: boolean;
  description?: React.ReactNode;
  /** Warning to show before closing, as in “The note is not saved.”; null: close at once. */
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
  // The element that gets the focus back.
  const [before] = useState(() => document.activeElement);
  const [asked, setAsked] = useState<{ from: Element | null } | null>(null);
  // Esc and a press outside ask first; the button closes at once.
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
            <Radix.Title className="min-w-0 text-title wrap-anywhere">{title}</Radix.Title>
            {hideTitle ? null : (
              <Radix.Close type="button" className="button">
                Close
              </Radix.Close>
            )}
          </div>
          {description === undefined ? null : (
            <Radix.Description className="px-[22px] pt-[4px] wrap-anywhere text-ink2">
              {description}
            </Radix.Description>
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
