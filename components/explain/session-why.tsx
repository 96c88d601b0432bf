'use client';
import type { Session } from '@/core/api/session';
import type { SessionFigure } from '@/core/explain/explain-session';
import { ask } from './asked';
import { WhyButton, type WhyButtonProps } from './why';

type SessionWhyProps = Omit<WhyButtonProps, 'onAsk' | 'ref'> & {
  session: Pick<Session, 'id' | 'version'>;
  figure: SessionFigure;
};

/** A number of one session with an explanation. The page reports new versions (`followVersion`). */
export function SessionWhy({ session: { id, version }, figure, ...rest }: SessionWhyProps) {
  return <WhyButton {...rest} onAsk={(anchor) => ask({ about: 'session', figure, id, version }, anchor)} />;
}
