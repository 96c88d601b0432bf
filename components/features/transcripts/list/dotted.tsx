import { Children, Fragment } from 'react';

/** Parts in a line, `a · b`; empty ones are left out. */
export function Dotted({ children }: { children: React.ReactNode }) {
  const parts = Children.toArray(children).filter((part) => part !== '');
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id but their position
    <Fragment key={index}>
      {index === 0 ? null : <span className="text-ink2"> · </span>}
      {part}
    </Fragment>
  ));
}
