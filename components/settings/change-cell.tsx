/** The last cell of a project's row: opens its dialog. */
export function ChangeCell({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <td className="right">
      <button type="button" className="button" aria-label={label} onClick={onPress}>
        Change
      </button>
    </td>
  );
}
