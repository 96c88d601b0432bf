'use client';
import type { Ref } from 'react';
import { loadAnswer } from './load-answer';
import './explain.css';

export interface WhyButtonProps {
  ref?: Ref<HTMLButtonElement>;
  /** The number's name where its own text does not say it: `pressure`. */
  name: string;
  title?: string;
  className?: string;
  /** In a list: reached by pointer, and by key through its row; not a stop of its own. */
  inRow?: boolean;
  onAsk: (anchor: HTMLElement) => void;
  children: React.ReactNode;
}

/**
 * A number that opens its explanation. The question is generated content, read by screen readers but not copied or
 * found as text; in a row it is a description, which costs no layout. Stateless, because lists have thousands of them.
 */
export function WhyButton({
  ref,
  name,
  title,
  className = '',
  inRow = false,
  onAsk,
  children,
}: WhyButtonProps) {
  const question = name === '' ? ', why?' : ` ${name}, why?`;
  return (
    <button
      {...(ref === undefined ? {} : { ref })}
      type="button"
      className={`why ${className}`}
      aria-haspopup="dialog"
      {...(title === undefined ? {} : { title })}
      {...(inRow ? { tabIndex: -1, 'aria-description': question } : { 'data-why': question })}
      onClick={(event) => onAsk(event.currentTarget)}
      onPointerEnter={loadAnswer}
      onFocus={loadAnswer}
    >
      {children}
    </button>
  );
}
