// snapshot: saves the whole training; snapshot_object: saves one object, such as the model.
//
//   trainer.extend(extensions::snapshot({.n_retains = 2, .autoload = true}));
//   trainer.extend(extensions::snapshot_object(model, "model_epoch_{.updater.epoch}.npz"));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <renkei/lib/serializers/npz.h>
#include <renkei/trainer/extension.h>

namespace renkei::extensions {

struct SnapshotOptions {
  /// Name in the output folder; {.updater.iteration} and {.updater.epoch} stand for the counts.
  std::string filename = "snapshot_iter_{.updater.iteration}";
  /// How many files of this name to keep, by the counts in it; -1: all. Files that are ahead of the one just written
  /// come from another training: they do not count and are never removed.
  int n_retains = -1;
  bool autoload = false;           ///< before training, load the newest good file of this name
  bool snapshot_on_error = false;  ///< also save when training fails
  bool compress = false;           ///< deflate the arrays
  bool keep_training = false;      ///< a file that cannot be written is named on stderr, and training goes on
  std::function<bool()> condition = {};  ///< save only where it says so
};

/// Files are written in one step: a kill or a full disk leaves the earlier ones as they are. A snapshot is taken when
/// all extensions of the iteration have run, so a resumed training repeats and skips nothing.
class Snapshot final : public Extension {
 public:
  using Save = std::function<void(Trainer& trainer, Serializer& s)>;
  using Load = std::function<void(Trainer& trainer, const std::string& path, const Dictionary& dictionary)>;

  Snapshot(SnapshotOptions options, Save save, Load load);

  std::string default_name() const override { return "_Snapshot"; }
  TriggerSpec default_trigger() const override { return {1, "epoch"}; }
  int default_priority() const override { return priority::kSnapshot; }

  /// Removes what killed runs left half written; with autoload, loads the newest file that is whole, and says on stderr
  /// which ones were not and why.
  void restore(Trainer& trainer) override;
  void call(Trainer& trainer) override;
  void on_error(Trainer& trainer, const std::exception& error) override;

 private:
  struct Candidate {
    std::vector<std::int64_t> counts;  // of the marks in the pattern
    std::string path;
  };
  std::vector<Candidate> candidates(const std::string& folder) const;  // newest first
  void save(Trainer& trainer) const;
  void remove_old(const std::string& folder, const std::string& saved) const;  // `saved`: name of the newest

  SnapshotOptions options_;
  Save save_;
  Load load_;
};

Snapshot snapshot(SnapshotOptions options = {});

/// `target`: anything with serialize(Serializer&), alive as long as the trainer.
template <class Target>
Snapshot snapshot_object(Target& target, std::string filename, SnapshotOptions options = {}) {
  options.filename = std::move(filename);
  const auto serialize = [&target](Serializer& s) { target.serialize(s); };
  return Snapshot{std::move(options), [serialize](Trainer&, Serializer& s) { serialize(s); },
                  [serialize](Trainer&, const std::string& path, const Dictionary& dictionary) {
                    load_dictionary(path, dictionary, {}, serialize);
                  }};
}

}  // namespace renkei::extensions
