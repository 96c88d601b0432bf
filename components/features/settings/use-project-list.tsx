'use client';
import { useState } from 'react';
import type { ProjectSettings } from '@/core/api/settings';

/** A longer list has a search field and shows so many at first. */
const FIRST_SHOWN = 20;

/**
 * The projects of a table: search among many, and the one with an open dialog.
 * @param find what to search for at first
 * @param where distinguishes the search field from others of the page: `among the lines`
 */
export function useProjectList(initial: readonly ProjectSettings[], find: string, where: string) {
  const [changed, setChanged] = useState<ReadonlyMap<string, ProjectSettings>>(new Map());
  const [edited, setEdited] = useState<string | null>(null);
  const isLong = initial.length > FIRST_SHOWN;
  const [text, setText] = useState(isLong ? find : '');
  const [all, setAll] = useState(false);
  const projects = initial.map((settings) => changed.get(settings.project) ?? settings);
  const matching = projects.filter(({ project }) =>
    project.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const shown = all ? matching : matching.slice(0, FIRST_SHOWN);
  return {
    shown,
    open: projects.find(({ project }) => project === edited),
    edit: setEdited,
    close: () => setEdited(null),
    /** Show a changed project in its new state. */
    update: (settings: ProjectSettings) =>
      setChanged((held) => new Map(held).set(settings.project, settings)),
    /** Above the list. */
    search: isLong ? (
      <input
        type="search"
        className="field mb-[12px] w-[236px]"
        aria-label={`Find a project ${where}`}
        placeholder="Find a project"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    ) : null,
    /** Below it. */
    rest: (
      <>
        {initial.length > 0 && shown.length === 0 ? <p className="pt-[12px] text-ink2">No matches</p> : null}
        {matching.length > shown.length ? (
          <button type="button" className="button mt-[12px]" onClick={() => setAll(true)}>
            Show all {matching.length}
          </button>
        ) : null}
      </>
    ),
  };
}

export function ChangeButton({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <button type="button" className="button" aria-label={label} onClick={onPress}>
      Change
    </button>
  );
}
