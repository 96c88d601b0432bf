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
  /** A sentence under the title. */
  description?: React.ReactNode;
  /** Width and place; the look is one for all. */
  className?: string;
  children: React.ReactNode;
}

export function Dialog({
  open,
  onClose,
  title,
  hideTitle = false,
  description,
  className = 'top-[12vh] w-[440px]',
  children,
}: DialogProps) {
  // Mounted when it is asked for: what has the focus then gets it back.
  const [before] = useState(() => document.activeElement);
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Radix.Portal>
        <div className="dialog-backdrop" aria-hidden="true" />
        <Radix.Content
          aria-modal="true"
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
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
