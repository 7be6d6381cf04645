#include "apiserver/store/log_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth::apiserver::store {

Recovered LogDatabase::Recover() const {
  Recovered recovered{.next = static_cast<Version>(std::max(state_.reserved, state_.last + 1)),
                      .first = static_cast<Version>(state_.first),
                      .floors = {}};
  if (state_.first == 0) recovered.next = 0;
  for (const auto& [name, row] : collections_) {
    if (row.floor != 0) recovered.floors[name] = static_cast<Version>(row.floor);
  }
  return recovered;
}

Status LogDatabase::Replay(const std::function<Status(const JournalEntry&)>& entry) {
  Result<Statement> rows = database_->Prepare(
      "SELECT version, collection, namespace, log.name, uid, deleted, version_at, labels, fields,"
      " json, checksum, collections.name"
      " FROM log LEFT JOIN collections ON collections.id = collection ORDER BY version");
  if (!rows) return std::unexpected(rows.error());
  LogTotals totals;
  int64_t last = 0;
  while (true) {
    const Result<bool> more = rows->Step();
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    const LogRow row{.version = rows->Integer(0),
                     .collection = rows->Integer(1),
                     .deleted = rows->Integer(5),
                     .version_at = rows->Integer(6),
                     .namespace_ = rows->Text(2),
                     .name = rows->Text(3),
                     .uid = rows->Text(4),
                     .labels = rows->Text(7),
                     .fields = rows->Text(8),
                     .json = rows->Text(9)};
    const ObjectPtr object = row.Checksum() == rows->Integer(10) ? row.Read() : nullptr;
    if (object == nullptr || rows->Text(11).empty() || row.version <= last) {
      return std::unexpected(
          Damaged(path(), fmt::format("the entry of version {} ({} {}/{}) is not as it was written",
                                      row.version, rows->Text(11), row.namespace_, row.name)));
    }
    last = row.version;
    totals.Add(row.version, rows->Integer(10));
    const Status taken =
        entry({.collection = rows->Text(11), .deleted = row.deleted != 0, .object = object});
    if (!taken) return taken;
  }
  if (totals == state_.totals && last <= state_.last) return {};
  return std::unexpected(
      Damaged(path(), fmt::format("it has {} entries that are not the {} that were written",
                                  totals.rows, state_.totals.rows)));
}

Status LogDatabase::Start(Version next, Version reserved) {
  // After an unclean exit the log may hold pages whose fsync failed, which the kernel then
  // considers written. Copied to the file they are written, and verified by fsync, once more.
  if (const Status copied = database_->Checkpoint(); !copied) return copied;
  return Commit([&](LogState& state) -> Status {
    if (state.first == 0) state.first = static_cast<int64_t>(next);
    state.reserved = static_cast<int64_t>(reserved);
    return {};
  });
}

Status LogDatabase::Finish(Version next) {
  const Status finished = Commit([&](LogState& state) -> Status {
    state.reserved = static_cast<int64_t>(next);
    return {};
  });
  if (finished) database_->KeepLogOnClose(false);
  return finished;
}

Status LogDatabase::Write(std::span<const JournalEntry> entries,
                          std::span<const Compaction> compactions,
                          std::optional<Version> reserved) {
  return Commit([&](LogState& state) -> Status {
    for (const JournalEntry& entry : entries) {
      if (const Status inserted = Insert(entry, state); !inserted) return inserted;
    }
    for (const Compaction& compaction : compactions) {
      if (const Status dropped = Drop(compaction, state); !dropped) return dropped;
    }
    if (reserved) state.reserved = static_cast<int64_t>(*reserved);
    return {};
  });
}

Status LogDatabase::Commit(const std::function<Status(LogState&)>& change) {
  LogState state = state_;
  Status status = database_->Execute("BEGIN IMMEDIATE");
  if (status) status = change(state);
  if (status) status = SaveState(state);
  if (status) status = database_->Execute("COMMIT");
  if (!status) {
    // After some errors SQLite has already rolled back, and this fails.
    static_cast<void>(database_->Execute("ROLLBACK"));
    return status;
  }
  state_ = state;
  mark_.Write({.database = state.identity, .version = static_cast<Version>(state.last)});
  return {};
}

Status LogDatabase::SaveState(LogState& state) {
  state.collections = CollectionsChecksum();
  save_->Bind(1, state.first).Bind(2, state.reserved).Bind(3, state.last);
  save_->Bind(4, state.totals.rows).Bind(5, state.totals.digest).Bind(6, state.collections);
  save_->Bind(7, state.Checksum());
  return save_->Run();
}

Status LogDatabase::Insert(const JournalEntry& entry, LogState& state) {
  const Result<CollectionRow*> collection = RowOf(entry.collection);
  if (!collection) return std::unexpected(collection.error());
  const Object& object = *entry.object;
  LogRow row{.version = static_cast<int64_t>(object.version),
             .collection = (*collection)->id,
             .deleted = entry.deleted ? 1 : 0,
             .version_at = 0,
             .namespace_ = object.key.namespace_,
             .name = object.key.name,
             .uid = object.uid,
             .labels = {},
             .fields = {},
             .json = {}};
  std::string labels, fields;
  if (!entry.deleted) {
    labels = WriteLabels(object.labels);
    fields = WriteList(object.fields);
    row.version_at = static_cast<int64_t>(object.version_at);
    row.labels = labels;
    row.fields = fields;
    row.json = object.json;
  }
  const int64_t checksum = row.Checksum();
  state.totals.Add(row.version, checksum);
  state.last = row.version;
  insert_->Bind(1, row.version).Bind(2, row.collection).Bind(3, row.namespace_);
  insert_->Bind(4, row.name).Bind(5, row.uid).Bind(6, row.deleted).Bind(7, row.version_at);
  insert_->Bind(8, row.labels).Bind(9, row.fields).Bind(10, row.json).Bind(11, checksum);
  return insert_->Run();
}

Status LogDatabase::Drop(const Compaction& compaction, LogState& state) {
  for (const Version version : compaction.versions) {
    const auto number = static_cast<int64_t>(version);
    delete_->Bind(1, number);
    const Result<bool> deleted = delete_->Step();
    if (!deleted) return std::unexpected(deleted.error());
    if (!*deleted) {  // Dropped before a restart.
      delete_->Reset();
      continue;
    }
    state.totals.Remove(number, delete_->Integer(0));
    if (const Status done = delete_->Run(); !done) return done;
  }
  const Result<CollectionRow*> collection = RowOf(compaction.collection);
  if (!collection) return std::unexpected(collection.error());
  (*collection)->floor = static_cast<int64_t>(compaction.floor);
  return database_->Execute(fmt::format("UPDATE collections SET floor = {} WHERE id = {}",
                                        compaction.floor, (*collection)->id)
                                .c_str());
}

Result<LogDatabase::CollectionRow*> LogDatabase::RowOf(std::string_view collection) {
  const auto known = collections_.find(collection);
  if (known != collections_.end()) return &known->second;
  Result<Statement> insert =
      database_->Prepare("INSERT INTO collections (name) VALUES (?) RETURNING id");
  if (!insert) return std::unexpected(insert.error());
  insert->Bind(1, collection);
  const Result<bool> row = insert->Step();
  if (!row) return std::unexpected(row.error());
  const int64_t id = insert->Integer(0);
  if (const Status done = insert->Run(); !done) return std::unexpected(done.error());
  return &collections_.emplace(collection, CollectionRow{.id = id}).first->second;
}

int64_t LogDatabase::CollectionsChecksum() const {
  if (collections_.empty()) return 0;
  RowChecksum sum;
  for (const auto& [name, row] : collections_) sum.Add(row.id).Add(name).Add(row.floor);
  return sum.value();
}

}  // namespace berth::apiserver::store
