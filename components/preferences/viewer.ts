'use client';
/** Whom the page is rendered for. The server checks every request; pages hide what it would refuse. */
import { createContext, use } from 'react';
import { type Actor, may, projectsOf, type Right } from '@/core/identity/actor';

export interface Viewer extends Pick<Actor, 'grants'> {
  /** Name of the person who has logged in. Null: the server has no accounts. */
  account: string | null;
}

export const ViewerContext = createContext<Viewer>({ account: null, grants: [] });

export const useAccountName = (): string | null => use(ViewerContext).account;

/**
 * Whether the viewer has a right.
 * @returns a function of the right and a project. Null: in what belongs to no project; undefined: in some project
 */
export function useMay(): (right: Right, project: string | null | undefined) => boolean {
  const viewer = use(ViewerContext);
  return (right, project) =>
    project === undefined ? projectsOf(viewer, [right])?.length !== 0 : may(viewer, [right], project);
}
