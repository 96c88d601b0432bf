'use client';
import { useEffect, useRef } from 'react';
import { ask, type Question, updateQuestion } from './asked';
import { WhyButton, type WhyButtonProps } from './why-button';

type WhyProps = Omit<WhyButtonProps, 'onAsk' | 'ref'> & {
  /** Held by its parts: another object is another state of the number. */
  of: Question;
};

/** A number that answers "why?" from what the page holds. */
export function Why({ of, ...rest }: WhyProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => updateQuestion(of, button.current), [of]);
  return <WhyButton {...rest} ref={button} onAsk={(anchor) => ask(of, anchor)} />;
}
