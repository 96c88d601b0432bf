'use client';
import { type ReactNode, useState } from 'react';

/** Projects that are shown at first; a server with more of them has a field to find one. */
const FIRST_SHOWN = 20;

interface FoundProjects<T> {
  shown: readonly T[];
  /** Above the list: the field, where there are many. */
  find: ReactNode;
  /** Below it: that none is found, or the way to all. */
  rest: ReactNode;
}

/**
 * Of many projects those whose name holds what was typed.
 * @param where what tells the field from others of the page: `by its lines`
 */
export function useFoundProjects<T extends { project: string }>(
  projects: readonly T[],
  begin: string,
  where: string,
): FoundProjects<T> {
  const isLong = projects.length > FIRST_SHOWN;
  const [text, setText] = useState(isLong ? begin : '');
  const [all, setAll] = useState(false);
  const matching = projects.filter(({ project }) =>
    project.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const shown = all ? matching : matching.slice(0, FIRST_SHOWN);
  return {
    shown,
    find: isLong ? (
      <input
        type="search"
        className="field mb-[12px] w-[236px]"
        aria-label={`Find a project ${where}`}
        placeholder="Find a project"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    ) : null,
    rest: (
      <>
        {shown.length === 0 ? (
          <p className="pt-[12px] text-ink2">No project has these letters in its name.</p>
        ) : null}
        {matching.length > shown.length ? (
          <button type="button" className="button mt-[12px]" onClick={() => setAll(true)}>
            Show all {matching.length}
          </button>
        ) : null}
      </>
    ),
  };
}
