/** Whether typing belongs to this element, so that single-key shortcuts must stay out of its way. */
function isEditable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A box to tick takes the space bar, and no letters.
  if (target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** A plain key press, outside of fields and dialogs. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
    return false;
  return (
    !isEditable(event.target) &&
    document.querySelector('dialog[open], [role="dialog"], [role="alertdialog"]') === null
  );
}
