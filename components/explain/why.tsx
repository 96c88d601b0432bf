'use client';
import { type Ref, useEffect, useRef } from 'react';
import { ask, type Question, updateQuestion } from './asked';

export const importAnswer = () => import('./why-popover');
/** Ignores a failure: the answer requests the chunk again when it opens. */
const loadAnswer = () => void importAnswer().catch(() => undefined);

export interface WhyButtonProps {
  ref?: Ref<HTMLButtonElement>;
  /** The number's name, unless its text includes it: `pressure`. */
  name: string;
  title?: string;
  className?: string;
  /** In a list the number is not a tab stop, because its row has a key that opens the explanation. */
  inRow?: boolean;
  onAsk: (anchor: HTMLElement) => void;
  children: React.ReactNode;
}

/**
 * A number that opens its explanation. The question is generated content: screen readers read it, but copying and text
 * search skip it. In a row the question is `aria-description`, which needs no layout: lists have thousands of numbers.
 */
export function WhyButton({ name, className = '', inRow = false, onAsk, ...rest }: WhyButtonProps) {
  const question = name === '' ? ', why?' : ` ${name}, why?`;
  return (
    <button
      {...rest}
      type="button"
      className={`why ${className}`}
      aria-haspopup="dialog"
      {...(inRow ? { tabIndex: -1, 'aria-description': question } : { 'data-why': question })}
      onClick={(event) => onAsk(event.currentTarget)}
      onPointerEnter={loadAnswer}
      onFocus={loadAnswer}
    />
  );
}

type WhyProps = Omit<WhyButtonProps, 'onAsk' | 'ref'> & {
  /** A new object signals that the number changed. */
  of: Question;
};

export function Why({ of, ...rest }: WhyProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => updateQuestion(of, button.current), [of]);
  return <WhyButton {...rest} ref={button} onAsk={(anchor) => ask(of, anchor)} />;
}
