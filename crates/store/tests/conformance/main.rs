//! The contract of the store, once, against every engine: each case is a function of a [`world::World`] and
//! runs on a fresh SQLite file and in a fresh database of a real PostgreSQL server.

#![cfg(test)]

mod abilities;
mod agents;
mod backups;
mod budgets;
mod bus;
mod chat_sessions;
mod compactions;
mod deeds;
mod kept;
mod log;
mod messages;
mod people;
mod plans;
mod previous;
mod providers;
mod rules;
mod schedules;
mod search;
mod secrecy;
mod session_files;
mod sessions;
mod titles;
mod transactions;
mod turns;
mod uploads;
mod usage;
mod versions;
mod world;
mod writer;

/// Runs each case on both engines.
macro_rules! on_both {
    ($room:ident::$module:ident: $($case:ident),* $(,)?) => {
        on_both!(@ $module { use crate::$room::$module as cases; } $($case),*);
    };
    ($module:ident: $($case:ident),* $(,)?) => {
        on_both!(@ $module { use crate::$module as cases; } $($case),*);
    };
    (@ $module:ident { $($cases:tt)* } $($case:ident),*) => {
        pub mod $module {
            $($cases)*

            mod sqlite {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    super::cases::$case(crate::world::World::on_sqlite().await).await;
                }
            )*}

            /// All of them, one after the other.
            pub async fn every(postgres: bool) {
                $(cases::$case(crate::plans::world(postgres).await).await;)*
            }

            mod postgres {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    if let Some(world) = crate::world::World::on_postgres().await {
                        super::cases::$case(world).await;
                    }
                }
            )*}
        }
    };
}

mod runs {
    on_both!(abilities:
        an_ability_comes_back_as_it_was_stored,
        of_two_that_want_one_name_one_is_told,
        every_change_makes_the_version_grow,
        an_ability_that_cannot_be_read_is_counted,
        abilities_are_their_owners_own,
    );
    on_both!(budgets:
        what_is_held_back_is_gone_until_it_is_known_what_it_cost,
        each_budget_counts_its_own,
        nobody_overshoots_together,
        a_request_that_goes_on_holds_back_anew,
        the_house_and_the_person_say_what_they_may_spend,
    );
    on_both!(bus:
        notes_reach_the_others_in_order,
        who_was_cut_off_hears_of_the_gap,
        sealed_words_open_on_their_own_way_only,
        how_far_logs_have_come_is_asked_for_many_at_once,
    );
    on_both!(secrecy::labels:
        the_worst_stays,
        what_has_changed_is_trusted_no_longer,
        a_person_lowers_it,
        an_older_database_trusts_no_more_than_it_should,
    );
    on_both!(agents:
        an_agent_comes_back_as_it_was_stored,
        a_name_is_taken_in_any_case,
        changing_an_agent_replaces_its_capabilities,
        agents_are_listed_in_pieces,
        an_agent_with_open_sessions_is_kept,
    );
    on_both!(people::audit:
        entries_form_a_chain_that_verifies,
        several_entries_at_once_are_links_of_the_same_chain,
        a_changed_entry_is_found,
        a_removed_entry_is_found,
        a_cut_off_end_is_found,
        a_cut_off_end_with_its_head_is_found,
        an_emptied_log_is_found,
        an_older_head_is_known_by_what_was_noted,
        two_nodes_write_one_chain,
        entries_are_listed_newest_first_and_by_user,
    );
    on_both!(backups:
        a_restored_database_lets_nobody_in_whom_it_knew,
        a_restored_database_goes_on_with_nothing,
        what_was_noted_is_gone_by_right_after_a_restore,
        a_backup_restores_into_either_kind,
        a_backup_under_load_is_one_moment,
        a_flipped_bit_is_found_and_named,
        what_is_there_is_not_overwritten_by_accident,
        inspecting_changes_nothing,
    );
    on_both!(turns::calls:
        calls_come_back_in_their_order,
        a_call_is_settled_once,
        calls_without_a_result_are_found_without_their_words,
        a_listed_call_has_its_result,
        model_calls_end_once,
    );
    on_both!(chat_sessions:
        a_peer_has_one_session,
        an_archived_session_is_followed_by_one_other,
        of_many_at_once_one_wins,
    );
    on_both!(compactions:
        what_is_told_is_the_newest_summary_and_what_came_after_it,
        of_two_summaries_made_at_once_one_is_kept,
        an_older_summary_is_found_by_what_it_stands_for,
        a_summary_opens_only_where_it_belongs,
        the_oldest_come_within_bytes_and_rows,
        a_request_that_never_ended_is_found_by_the_next,
    );
    on_both!(deeds:
        a_copy_is_in_no_list_until_it_is_whole,
        turns_are_asked_about_one_by_one,
        single_rows_are_looked_at,
        an_agent_has_read_what_stands_before_its_words,
    );
    on_both!(versions:
        one_version_of_a_conversation_is_listed,
        versions_are_one_entry_with_one_name_in_one_place,
        a_title_made_of_untrusted_words_stays_with_them,
        a_version_that_is_not_whole_is_dropped_alone,
        a_message_is_found_by_its_place,
        a_model_is_chosen_and_given_back,
        what_waits_is_listed_within_bytes,
    );
    on_both!(kept::folders:
        a_folder_comes_back_as_it_was_stored,
        of_two_changes_of_one_version_one_is_refused,
        a_folder_is_its_persons_own,
        a_session_is_pinned_and_says_where_it_is_from,
        a_deletion_can_be_taken_back_for_a_while,
        the_files_of_a_folder_are_its_persons_and_few,
    );
    on_both!(kept::knowledge:
        what_fits_best_is_found_whatever_the_pieces,
        a_conversation_has_one_page,
        a_page_with_words_of_others_is_not_told,
        what_waits_is_found_only_where_it_is_asked_for,
        each_person_finds_their_own,
        an_entry_comes_back_as_it_was_written,
        the_words_of_others_wait_for_their_person,
        what_a_person_wrote_is_only_proposed_to_change,
        every_change_is_a_version_and_can_be_undone,
        the_last_change_of_a_conversation_is_undone,
        a_purged_entry_leaves_nothing,
        an_entry_ends_by_itself,
        the_same_words_are_written_once,
        there_is_a_limit,
        an_entry_is_its_persons_own,
        of_two_answers_one_counts,
        what_has_waited_too_long_is_discarded,
        words_open_only_in_their_version,
    );
    on_both!(kept::library:
        a_prompt_comes_back_as_it_was_stored,
        a_link_opens_until_it_is_revoked_or_its_session_is_deleted,
        a_link_goes_with_its_person,
        an_account_link_is_used_once,
        a_further_password_link_replaces_the_first,
    );
    on_both!(turns::inbox:
        a_repeated_key_finds_the_first_input,
        inputs_without_a_key_never_repeat,
        somebody_elses_key_is_not_found,
        steering_inputs_wait_in_order_until_consumed,
        what_steered_too_late_is_told_as_before,
        only_finished_inputs_are_forgotten,
    );
    on_both!(log:
        events_and_messages_share_one_order,
        events_are_read_by_cursor_type_and_turn,
        a_piece_of_the_log_ends_at_bytes,
        a_number_is_given_out_once,
        entries_are_as_many_as_the_numbers_taken_for_them,
    );
    on_both!(people::known_places: a_place_is_known_to_who_signed_in_there);
    on_both!(people::for_all_nodes:
        so_many_attempts_at_once_and_then_as_many_in_a_minute,
        attempts_at_the_same_moment_are_all_counted,
        nodes_share_the_slots_of_a_person,
        of_nodes_that_take_at_the_same_moment_each_counts_the_others,
        the_slots_of_a_dead_node_are_free,
        any_node_opens_the_link_of_another,
    );
    on_both!(people::logins:
        a_login_is_found_by_its_hash_until_it_ends,
        logins_are_ended_together_but_for_one,
        old_logins_are_forgotten,
        the_oldest_login_gives_way,
    );
    on_both!(messages:
        the_transcript_is_paged_both_ways,
        a_page_of_the_transcript_ends_at_bytes,
        recent_keeps_within_bytes_and_rows, what_is_shown_takes_the_next_number_and_belongs_to_the_newest_turn,
        a_message_comes_back_as_it_was_written,
    );
    on_both!(kept::numbers:
        a_number_is_given_once,
        a_number_is_its_owners_and_its_nouns,
        what_is_undone_uses_no_number,
    );
    on_both!(people::people:
        a_user_is_found_by_name_in_any_case,
        there_is_one_owner,
        passwords_are_replaced,
        a_key_is_bound_to_one_bridge_for_good,
        a_revoked_key_is_not_found,
        a_user_is_changed_as_a_whole,
        a_removed_user_leaves_nothing_but_what_was_spent,
        a_user_at_work_is_not_removed,
        the_key_of_a_removed_person_goes_from_the_files,
        a_key_that_is_still_being_read_is_not_called_gone,
    );
    on_both!(providers:
        a_provider_is_replaced_and_removed,
        every_change_of_models_is_seen_with_the_next_agent,
        a_key_opens_only_under_its_own_name,
    );
    on_both!(usage:
        what_was_spent_is_added_up,
        what_went_out_is_counted,
        only_the_asked_time_counts,
    );
    on_both!(turns::errands:
        an_answer_is_delivered_once,
        what_nobody_waits_for_is_to_be_stopped,
        sessions_of_others_go_with_the_one_they_work_for,
    );
    on_both!(turns::questions:
        a_question_is_answered_once_and_heard_of_until_its_call_is_settled,
        a_question_is_due_when_its_time_is_over,
    );
    on_both!(turns::approvals:
        an_approval_is_answered_once_and_heard_of_until_its_calls_go_on,
        an_approval_of_a_turn_that_has_ended_is_counted_apart,
        an_approval_that_comes_too_late_is_none,
        an_approval_that_another_call_waits_for_is_not_withdrawn,
        what_a_turn_still_asks_ends_with_it,
    );
    on_both!(rules:
        rules_count_for_whom_they_are,
        a_rule_for_one_call_is_used_up_once,
        the_arguments_of_a_rule_cannot_be_moved,
        rules_for_a_session_make_room_and_end_with_their_time,
    );
    on_both!(schedules:
        a_schedule_comes_back_as_it_was_stored_and_is_its_persons_own,
        of_many_that_see_a_due_time_one_fires_it,
        a_paused_schedule_is_not_fired, what_is_only_shown_is_due_by_itself,
        a_run_ends_once_and_with_its_turn,
        failures_are_counted_until_a_run_goes_well,
        runs_of_long_ago_are_forgotten,
        turns_of_schedules_are_counted_for_their_node,
        what_other_agents_do_for_a_run_is_known_as_its_own,
    );
    on_both!(secrecy::rotation:
        everything_opens_after_each_step,
        people_may_come_while_keys_change,
        a_change_is_not_finished_too_soon,
        a_begun_change_keeps_its_key,
        a_key_that_was_changed_elsewhere_is_no_damage,
        another_node_takes_the_key_that_it_is_handed,
        nodes_say_which_keys_they_have,
        an_old_house_keeps_its_keys,
    );
    on_both!(secrecy::sealing:
        a_value_opens_only_in_its_place,
        a_flipped_bit_is_refused,
        somebody_elses_key_does_not_open,
        no_word_is_on_the_disk,
        every_column_that_may_hold_words_is_tried,
    );
    on_both!(session_files:
        a_file_comes_back_with_its_folders,
        what_cannot_be_done_with_a_file_changes_nothing,
        a_folder_goes_with_everything_in_it,
        a_read_only_file_stays_as_it_is,
        files_have_their_limits,
        files_are_their_sessions_own,
        files_cannot_be_moved_behind_their_owners_back,
        a_copy_is_sealed_for_its_own_session,
        what_a_run_left_is_written_whole_or_not_at_all,
        what_somebody_wrote_meanwhile_stays,
    );
    on_both!(sessions:
        a_session_belongs_to_one_user_and_to_their_agent,
        sessions_are_listed_with_their_newest_message,
        a_long_list_is_not_counted_to_its_end,
        a_session_at_work_is_neither_archived_nor_deleted,
        deleting_a_session_leaves_only_what_it_cost,
        a_session_comes_with_its_agent_in_one_statement,
        inputs_start_or_queue,
        steering_joins_the_active_turn,
        advancing_promotes_the_next_turn,
        an_ended_turn_runs_again_only_when_nothing_else_does,
        a_step_needs_the_turn_that_is_active,
        steering_that_was_left_over_waits_its_turn,
    );
    on_both!(people::sharing:
        a_shared_agent_is_seen_and_used,
        guests_use_what_is_shared_with_them_only,
        who_used_a_shared_agent_before_has_accepted_it,
        what_was_shared_is_no_longer_usable_but_stays_readable,
        other_peoples_sessions_outlive_the_agent,
    );
    on_both!(transactions:
        a_read_that_is_given_up_leaves_nothing_open,
        a_failing_closure_leaves_nothing,
        a_refusal_comes_back_as_what_it_is,
        a_swallowed_error_leaves_nothing,
        a_panic_leaves_nothing,
        a_read_cannot_write,
        references_are_checked,
        statements_and_commits_are_counted,
        numbers_have_no_gap_under_many_writers,
        a_closed_store_says_so,
    );
    on_both!(search:
        everything_is_found_once_whatever_the_pieces,
        a_conversation_is_found_once_whatever_its_versions,
        what_is_deleted_is_not_found_in_the_middle_of_a_search,
        a_search_is_its_owners_and_its_cursor_its_own,
        an_agent_finds_what_was_said_and_nothing_of_others,
    );
    on_both!(titles:
        a_title_is_given_once_and_never_over_a_name,
        tries_run_out,
        what_a_try_left_open_is_closed_and_nothing_else,
        a_repeated_key_finds_what_the_first_made,
    );
    on_both!(uploads:
        a_file_comes_back_to_its_owner_alone,
        half_a_file_is_none,
        files_count_for_their_owner,
        a_file_lives_while_a_session_shows_it,
        the_text_of_a_file_is_kept_with_it,
        a_file_cannot_be_rearranged,
        an_input_keeps_its_attachments,
    );
    on_both!(turns::nodes:
        a_node_beats_and_is_seen,
        a_node_that_drains_is_no_help_and_counts_until_it_has_left,
        a_beat_sees_what_waits_for_a_node,
        a_look_at_an_earlier_schema_sees_who_is_alive,
        a_turn_is_handed_over_once,
        a_turn_of_which_nothing_opens_ends_once,
        a_second_boot_supersedes_the_first,
        a_node_that_lives_loses_nothing,
        a_node_that_owns_a_turn_is_not_forgotten,
    );
    on_both!(turns::turns:
        a_stale_epoch_is_fenced_off,
        what_is_not_stored_is_known_for_certain,
        a_turn_is_claimed_once,
        turns_run_in_their_order,
        the_queue_is_found_by_index,
        the_database_refuses_a_second_active_turn,
        leases_are_renewed_together_and_tell_of_a_stop,
        a_stop_is_durable_and_the_users_own,
        a_turn_is_claimed_also_when_its_state_cannot_be_read,
        an_ended_turn_can_be_reopened,
    );
}
