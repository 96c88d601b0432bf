'use client';
import { useState } from 'react';
import type { ProjectSettings } from '@/core/api/settings';

interface EditedProject {
  /** As they are now: those that were changed here since the page came, in their new state. */
  projects: readonly ProjectSettings[];
  /** The one whose dialog is open. */
  open: ProjectSettings | undefined;
  edit: (project: string) => void;
  close: () => void;
  take: (settings: ProjectSettings) => void;
}

/** The projects of a table of which one can be opened and changed. */
export function useEditedProject(initial: readonly ProjectSettings[]): EditedProject {
  const [changed, setChanged] = useState<ReadonlyMap<string, ProjectSettings>>(new Map());
  const [edited, setEdited] = useState<string | null>(null);
  const projects = initial.map((settings) => changed.get(settings.project) ?? settings);
  return {
    projects,
    open: projects.find(({ project }) => project === edited),
    edit: setEdited,
    close: () => setEdited(null),
    take: (settings) => setChanged((held) => new Map(held).set(settings.project, settings)),
  };
}
