import type postgres from 'postgres';

/** Input tokens of a turn that the database refuses after `refusePoison`. */
export const POISON = 666;

/**
 * Make the database refuse a turn of `POISON` input tokens and a restart with reason `poison`. Both pass validation.
 */
export async function refusePoison(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create function refuse_poison() returns trigger language plpgsql as $$
      begin raise exception 'poison' using errcode = '22P02'; end $$;
    create trigger poison before insert on turns
      for each row when (new.input = ${POISON}) execute function refuse_poison();
    create trigger poison before insert on reports
      for each row when (new.item->>'reason' = 'poison') execute function refuse_poison()`);
}
